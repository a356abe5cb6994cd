import { describe, it } from 'tstyche';
import { Resilient } from '../../../lib/index.js';

describe('a named policy', () => {
  it('is used by its name alone, or under other options', () => {
    class Client {
      @Resilient('upstream')
      async one(): Promise<number> {
        return 1;
      }
      @Resilient({ use: 'upstream', retries: 1 })
      async two(): Promise<void> {}
      @Resilient({ use: false })
      static async three(): Promise<void> {}
    }
    void Client;
  });

  it('is a name, of a method that may be decorated', () => {
    class Client {
      // @ts-expect-error Expected 0-1 arguments, but got 2
      @Resilient('upstream', { retries: 1 })
      async one(): Promise<void> {}
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
