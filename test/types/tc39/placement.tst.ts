import { describe, it } from 'tstyche';
import { Resilient } from '../../../lib/index.js';

describe('a method', () => {
  it('must return a promise or an Observable', () => {
    class Client {
      // @ts-expect-error Decorator function return type 'ResilientTypeError<"the method must return a Promise or an Observable: make it async">' is not assignable
      @Resilient()
      read(): number {
        return 1;
      }
      // @ts-expect-error ResilientTypeError<"the method must return a Promise or an Observable: make it async">
      @Resilient({ retries: 3 })
      static nothing(): void {}
      // @ts-expect-error ResilientTypeError<"the method must return a Promise or an Observable: make it async">
      @Resilient()
      async *pages(): AsyncGenerator<number> {}
    }
    void Client;
  });
});

describe('a place that is no method', () => {
  it('is refused in one line', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Resilient()
      field = async (): Promise<number> => 1;
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Resilient({ retries: 2 })
      static field = async (): Promise<number> => 1;
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Resilient()
      get value(): Promise<number> {
        return Promise.resolve(1);
      }
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Resilient()
      set other(_value: number) {}
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Resilient()
      accessor auto = 1;
    }
    // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
    @Resilient()
    class Whole {}
    void [Client, Whole];
  });
});
