import { describe, it } from 'tstyche';
import type { Observable } from 'rxjs';
import { Resilient, type ResilientOptions } from '../../../lib/index.js';

declare const configured: string;

describe('a named policy', () => {
  it('is used by its name alone, or under other options', () => {
    class Client {
      @Resilient('upstream')
      async one(): Promise<number> {
        return 1;
      }
      @Resilient(configured)
      two(): Observable<number> {
        throw new Error();
      }
      @Resilient({ use: 'upstream', retries: 1 })
      async three(): Promise<void> {}
      @Resilient({ use: false })
      async four(): Promise<void> {}
      @Resilient({ use: undefined })
      async five(): Promise<void> {}
      @Resilient('upstream')
      static async six(): Promise<void> {}
    }
    void Client;
    const widened: ResilientOptions = { use: configured };
    void widened;
  });

  it('is a name and nothing else', () => {
    class Client {
      // @ts-expect-error Expected 0-1 arguments, but got 2
      @Resilient('upstream', { retries: 1 })
      async one(): Promise<void> {}
      // @ts-expect-error Type 'number' is not assignable to type 'string | false
      @Resilient({ use: 1 })
      async two(): Promise<void> {}
      // @ts-expect-error Type 'true' is not assignable to type 'string | false
      @Resilient({ use: true })
      async three(): Promise<void> {}
      // @ts-expect-error Argument of type 'false' is not assignable to parameter of type 'string | ResilientOptions
      @Resilient(false)
      async four(): Promise<void> {}
    }
    void Client;
  });

  it('does not change which methods may be decorated', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"the method must return a Promise or an Observable: make it async">
      @Resilient('upstream')
      read(): number {
        return 1;
      }
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Resilient('upstream')
      field = async (): Promise<number> => 1;
    }
    void Client;
  });
});
