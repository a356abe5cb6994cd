import { Observable } from 'rxjs';
import { provideObservable } from '../lib/container.js';

// At import, as the first call of a method may come before any application is made.
provideObservable(Observable);

declare module '../lib/operation/observable-like.js' {
  interface ObservableTypes<T> {
    readonly rxjs: Observable<T>;
  }
}
