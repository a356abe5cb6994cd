import { describe, it } from 'tstyche';
import { z } from 'zod';
import {
  EventEmitter,
  fallbackChain,
  Resilient,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
  type Duration,
  type ExecutionReport,
} from '../../../lib/index.js';

const isPaid = validator('isPaid', (receipt: { paid: boolean }) => receipt.paid, { message: 'must be paid' });

describe('the options of a decorator', () => {
  it('may all be given', () => {
    const off: { retries?: number; timeout?: Duration | undefined } = {};
    class Client {
      @Resilient({
        name: 'charge a card',
        retries: 2,
        retryOn: [TypeError, RangeError],
        backoff: { delayForRetry: (retry) => retry },
        timeout: '1.5s',
        deadline: 30,
        validate: (receipt: { paid: boolean }) => receipt.paid,
        events: new EventEmitter(),
        idempotent: false,
        throws: 'execution-error',
        onReport: (report: ExecutionReport) => report.explain(),
      })
      async charge(): Promise<{ paid: boolean }> {
        return { paid: true };
      }
      @Resilient({
        retry: new RetryPolicy({ maxAttempts: 2 }),
        timeout: new TimeoutPolicy(2),
        fallbacks: fallbackChain(['cache', async () => ({ paid: true })]),
        validation: validationPolicy(isPaid),
      })
      async policies(): Promise<{ paid: boolean }> {
        return { paid: true };
      }
      @Resilient({ validate: [isPaid, z.object({ paid: z.boolean() }), async () => true] })
      async validated(): Promise<{ paid: boolean }> {
        return { paid: true };
      }
      @Resilient({
        ...off,
        retries: undefined,
        timeout: false,
        retry: false,
        fallback: undefined,
        deadline: false,
        validate: false,
      })
      async nothing(): Promise<void> {}
      @Resilient({
        onReport(this: Client, report) {
          this.seen.push(report);
        },
      })
      async seenBy(): Promise<void> {}
      private readonly seen: ExecutionReport[] = [];
    }
    void Client;
  });

  it('must be spelled right', () => {
    class Client {
      // @ts-expect-error 'retry_on' does not exist in type 'ResilientOptions
      @Resilient({ retry_on: [Error] })
      async one(): Promise<void> {}
      // @ts-expect-error but 'retrys' does not exist in type 'ResilientOptions
      @Resilient({ retrys: 3 })
      async two(): Promise<void> {}
      // @ts-expect-error Did you mean to write 'circuitBreaker'?
      @Resilient({ circuitbreaker: 'payments' })
      async three(): Promise<void> {}
      // @ts-expect-error 'clock' does not exist in type 'ResilientOptions
      @Resilient({ clock: {} })
      async four(): Promise<void> {}
    }
    void Client;
  });

  it('must have the right values', () => {
    class Client {
      // @ts-expect-error Type '"10 sec"' is not assignable to type
      @Resilient({ timeout: '10 sec' })
      async one(): Promise<void> {}
      // @ts-expect-error Type 'string' is not assignable to type 'number'
      @Resilient({ retries: '3' })
      async two(): Promise<void> {}
      // @ts-expect-error Type 'true' is not assignable to type
      @Resilient({ timeout: true })
      async three(): Promise<void> {}
      // @ts-expect-error Type '"result"' is not assignable to type '"original" | "execution-error"
      @Resilient({ throws: 'result' })
      async four(): Promise<void> {}
      // @ts-expect-error Type 'string' is not assignable to type 'ErrorClass'
      @Resilient({ retries: 1, retryOn: ['TypeError'] })
      async five(): Promise<void> {}
      // @ts-expect-error Property 'key' is missing in type '{ name: string; }' but required in type 'KeyedBreaker'
      @Resilient({ circuitBreaker: { name: 'payments' } })
      async six(): Promise<void> {}
      // @ts-expect-error Type 'string' is not assignable to type 'boolean | PromiseLike<boolean>'
      @Resilient({ validate: () => 'yes' })
      async seven(): Promise<void> {}
    }
    void Client;
  });
});
