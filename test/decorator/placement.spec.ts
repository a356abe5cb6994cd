import { describe, expect, it, jest } from '@jest/globals';
import { of } from 'rxjs';
import { CircuitBreaker, MisuseError, Resilient } from '../../lib/index.js';
import { mistakeOf, noWait, placeOf, rejectionOf } from './support.js';

/** The types refuse all of this; JavaScript and `as any` do not. */
const misplaced: any = Resilient({ retries: 1 });
const bare: any = Resilient;

const notOnAMethod = (place: string) =>
  `${place}: @Resilient is not on a method; put it on a method, not on a field, getter, setter or class`;

// B144
describe('a place that is no method is refused while the class is being defined:', () => {
  it.each<[string, string, () => unknown]>([
    [
      'a getter',
      placeOf('Client', 'value'),
      () => {
        class Client {
          @misplaced
          get value(): Promise<number> {
            return Promise.resolve(1);
          }
        }
        return Client;
      },
    ],
    [
      'a setter',
      placeOf('Client', 'value'),
      () => {
        class Client {
          @misplaced
          set value(_value: number) {}
        }
        return Client;
      },
    ],
    [
      'a field',
      placeOf('Client', 'read'),
      () => {
        class Client {
          @misplaced
          read = async (): Promise<number> => 1;
        }
        return Client;
      },
    ],
    [
      'a static field',
      placeOf('Client', 'read'),
      () => {
        class Client {
          @misplaced
          static read = async (): Promise<number> => 1;
        }
        return Client;
      },
    ],
    [
      'a static getter',
      placeOf('Client', 'value'),
      () => {
        class Client {
          @misplaced
          static get value(): Promise<number> {
            return Promise.resolve(1);
          }
        }
        return Client;
      },
    ],
    [
      'an auto-accessor',
      placeOf('Client', 'value'),
      () => {
        class Client {
          @misplaced
          accessor value = 1;
        }
        return Client;
      },
    ],
    [
      'a class',
      'Client',
      () => {
        @misplaced
        class Client {}
        return Client;
      },
    ],
  ])('%s', (_what, place, define) => {
    const mistake = mistakeOf(define);
    expect(mistake).toBeInstanceOf(TypeError);
    expect(mistake.message).toBe(notOnAMethod(place));
    expect(mistake).toMatchObject({ option: '@Resilient', path: place, code: 'RELPRIM_CONFIGURATION' });
  });

  it('a parameter', () => {
    class Client {
      async read(_id: string): Promise<void> {}
    }
    expect(mistakeOf(() => misplaced(Client.prototype, 'read', 0)).message).toBe(notOnAMethod('Client.read'));
    expect(mistakeOf(() => misplaced(Client, undefined, 0)).message).toBe(notOnAMethod('Client'));
  });

  // B137
  it.each<[string, () => unknown]>([
    [
      'an async generator',
      () => {
        class Client {
          @misplaced
          async *pages(): AsyncGenerator<number> {
            yield 1;
          }
        }
        return Client;
      },
    ],
    [
      'a generator',
      () => {
        class Client {
          @misplaced
          *pages(): Generator<number> {
            yield 1;
          }
        }
        return Client;
      },
    ],
  ])('%s', (_what, define) => {
    expect(mistakeOf(define).message).toBe(
      `${placeOf('Client', 'pages')}: @Resilient is on a generator; protect the method that gives the whole result; a stream cannot be repeated once a part of it is out`,
    );
  });
});

describe('@Resilient without parentheses is refused', () => {
  it.each<[string, string, () => unknown]>([
    [
      'on a method',
      placeOf('Client', 'read'),
      () => {
        class Client {
          @bare
          async read(): Promise<void> {}
        }
        return Client;
      },
    ],
    [
      'on a static method',
      placeOf('Client', 'read'),
      () => {
        class Client {
          @bare
          static async read(): Promise<void> {}
        }
        return Client;
      },
    ],
    [
      'on a field',
      placeOf('Client', 'read'),
      () => {
        class Client {
          @bare
          read = 1;
        }
        return Client;
      },
    ],
    [
      'on a class',
      'Client',
      () => {
        @bare
        class Client {}
        return Client;
      },
    ],
  ])('%s', (_what, place, define) => {
    expect(mistakeOf(define).message).toBe(
      `${place}: @Resilient is written without parentheses; write @Resilient() or @Resilient({ … })`,
    );
  });
});

describe('decorating', () => {
  it('calls nothing: no method, no selector, no fallback, no listener [R222]', () => {
    const never = jest.fn((): never => {
      throw new Error('called');
    });
    class Client {
      @Resilient({
        fallback: never,
        signal: never,
        circuitBreaker: never,
        onReport: never,
        retries: 1,
        retryOn: never,
        backoff: { delayForRetry: never },
        validate: never,
      })
      async read(): Promise<number> {
        return never();
      }
    }
    expect(new Client()).toBeInstanceOf(Client);
    expect(never).not.toHaveBeenCalled();
  });
});

// B134
describe('a method that returns an Observable', () => {
  it('is refused at its first call, by name, without retry, record or fallback', async () => {
    const circuitBreaker = new CircuitBreaker({ name: 'api', failureThreshold: 1 });
    const fallback = jest.fn(() => 'fallback');
    let calls = 0;
    class Client {
      @misplaced
      plain(): unknown {
        return of(1);
      }
      @(Resilient({ retries: 2, backoff: noWait, circuitBreaker, fallback }) as any)
      protectedTwice(): unknown {
        calls += 1;
        return of(1);
      }
    }
    for (const method of ['plain', 'protectedTwice'] as const) {
      const error = (await rejectionOf((async () => new Client()[method]())())) as Error;
      expect(error).toBeInstanceOf(MisuseError);
      expect(error.message).toBe(
        `Client.${method} returned an Observable that nobody announced; add returns: 'observable' to the options of its decorator, ` +
          'or give back a promise, for example with firstValueFrom()',
      );
    }
    expect(calls).toBe(1);
    expect(fallback).not.toHaveBeenCalled();
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });
});
