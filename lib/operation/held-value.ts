import type { AbortListener } from '../attempt/abort-listeners.js';
import { MisuseError } from '../errors/misuse-error.js';
import type { ObservableClass, Subscriber } from './observable-class.js';
import type { Source } from './observable-like.js';

/**
 * The one value of a source, held until the source completes: only then is it the whole answer, and only a whole answer
 * can be repeated, checked or replaced without anything being delivered twice.
 */
export class HeldValue implements AbortListener {
  isEmpty = true;
  private value: unknown = undefined;
  private subscriber: Subscriber | undefined = undefined;

  constructor(
    private readonly operationName: string,
    /** What ends with the attempt that subscribes. */
    private family?: Set<AbortListener>,
    /** Told when the source fails while it is left; without it, that is thrown. */
    private complain?: (error: unknown) => void,
  ) {}

  /**
   * Subscribes, now. Resolves with the value, or with `undefined` where the source completes without one. Never throws:
   * what the source throws is what it fails with.
   */
  subscribe(source: Source, Observable: ObservableClass): Promise<unknown> {
    this.family?.add(this);
    const promise = new Promise((resolve, reject) => {
      const fail: (reason: unknown) => void = reject;
      // A subscriber of its own: it can be closed while the source still runs inside `subscribe`.
      const closable = new Observable((subscriber) => {
        this.subscriber = subscriber;
        return source.subscribe(subscriber);
      });
      closable.subscribe({
        next: (value) => this.take(value),
        error: (reason) => {
          this.letGo();
          fail(reason);
        },
        complete: () => {
          resolve(this.value);
          this.letGo();
        },
      });
    });
    // Last in the family: operations that the source started end with the reason itself, not as their subscriber left.
    if (this.family?.delete(this) === true) this.family.add(this);
    return promise;
  }

  /** Nobody waits for the value any more. */
  cancel(): void {
    this.leave((subscriber) => subscriber.unsubscribe());
  }

  private take(value: unknown): void {
    if (this.isEmpty) {
      this.isEmpty = false;
      this.value = value;
      return;
    }
    const misuse = new MisuseError(
      `${this.operationName}: the Observable gave a second value, and only one can be held back until it is known to be ` +
        'good; end the source with take(1), last() or toArray()',
    );
    this.leave((subscriber) => subscriber.error(misuse));
  }

  /** Ends the subscription before the source has ended. */
  private leave(end: (subscriber: Subscriber) => void): void {
    const { subscriber, complain } = this;
    this.letGo();
    if (subscriber === undefined) return;
    try {
      end(subscriber);
    } catch (error) {
      if (complain === undefined) throw error;
      complain(error);
    }
  }

  /** A call outlives this in its account, and must not keep values, sources and the application alive. */
  private letGo(): void {
    this.family?.delete(this);
    this.subscriber = this.value = this.family = this.complain = undefined;
  }
}
