import 'reflect-metadata';
import { describe, expect, it, jest } from '@jest/globals';
import {
  EventEmitter,
  fallbackChain,
  InMemoryEventSink,
  OperationExecutionError,
  OperationResult,
  OperationTimeoutError,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
  ValidationFailedError,
  validationPolicy,
  validator,
} from '../../lib/index.js';
import { noWait, rejectionOf, waysIn, World, type Options } from './support.js';

const down = new Error('down');
const positive = validator('positive', (value: number) => value > 0, { message: 'must be above 0' });

describe.each(waysIn)('%s', (_way, protect) => {
  /** Runs one call to its end; gives its result, or its error, and how often the function ran. */
  async function callOnce(options: Options, fn: (call: number) => unknown) {
    const world = new World();
    let calls = 0;
    const run = protect(world, options, () => fn((calls += 1)));
    const ending = await world.clock.settle(run().catch((error: unknown) => error));
    return { ending: ending as OperationResult<unknown> & OperationExecutionError, calls, world };
  }

  it('gives an operation result under the given name [R218]', async () => {
    const { ending } = await callOnce({ name: 'charge a card' }, async () => 'paid');
    expect(ending).toBeInstanceOf(OperationResult);
    expect(ending.value).toBe('paid');
    expect(ending.report.toJSON()).toMatchObject({
      operation_name: 'charge a card',
      status: 'succeeded',
      attempt_count: 1,
    });
  });

  it('gives an execution error with the report and the cause for a failure [R218]', async () => {
    const { ending } = await callOnce({ name: 'charge a card' }, () => Promise.reject(down));
    expect(ending).toBeInstanceOf(OperationExecutionError);
    expect(ending.cause).toBe(down);
    expect(ending.message).toBe('charge a card failed: Error (down)');
    expect(ending.report).toMatchObject({ operationName: 'charge a card', status: 'failed' });
  });

  it('applies a RetryPolicy [R223]', async () => {
    const retry = new RetryPolicy({
      maxAttempts: 4,
      backoff: { delayForRetry: (retryNumber) => retryNumber },
    });
    const { ending, calls, world } = await callOnce({ retry }, () => Promise.reject(down));
    expect([calls, ending.report.retryCount]).toEqual([4, 3]);
    expect(world.clock.monotonicMs()).toBe(6_000);
  });

  it('applies a ValidationPolicy, and reports the value that it rejects [R223, R224]', async () => {
    const { ending } = await callOnce({ validation: validationPolicy(positive) }, async () => -1);
    expect(ending.cause).toBeInstanceOf(ValidationFailedError);
    expect(ending.cause).toMatchObject({ validatorName: 'positive', reason: 'must be above 0' });
    expect(ending.report.metadata).toMatchObject({
      validation_performed: true,
      validation_valid: false,
      validation_validator_name: 'positive',
      validation_reason: 'must be above 0',
    });
    expect(ending.report.lastError?.type).toBe('ValidationFailedError');
  });

  it('applies a FallbackChain [R223]', async () => {
    const fallbacks = fallbackChain(['first', () => Promise.reject(down)], ['second', () => 'second']);
    const { ending } = await callOnce({ fallbacks }, () => Promise.reject(down));
    expect(ending.value).toBe('second');
    expect(ending.report.metadata).toMatchObject({
      fallback_candidate_name: 'second',
      fallback_failure_count: 1,
    });
  });

  it.each<[string, Options]>([
    ['a TimeoutPolicy', { timeout: new TimeoutPolicy('2s') }],
    ['a number of seconds', { timeout: 2 }],
    ['a text', { timeout: '2s' }],
  ])('applies %s as timeout [R223, R227]', async (_what, options) => {
    const { ending, world } = await callOnce(options, () => new Promise(() => undefined));
    expect(ending.cause).toBeInstanceOf(OperationTimeoutError);
    expect(ending.cause).toMatchObject({ timeoutSeconds: 2, scope: 'attempt' });
    expect(ending.report.status).toBe('timed_out');
    expect(world.clock.monotonicMs()).toBe(2_000);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('tells an EventEmitter [R223]', async () => {
    const sink = new InMemoryEventSink();
    const events = new EventEmitter({ sinks: [sink] });
    const { ending } = await callOnce({ name: 'op', events }, async () => 1);
    expect(sink.sequence('op')).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
    expect(new Set(sink.events().map((event) => event.callId))).toEqual(new Set([ending.report.callId]));
  });

  it('applies retry, validation and events together [R225]', async () => {
    const sink = new InMemoryEventSink();
    const { ending, calls } = await callOnce(
      {
        retries: 2,
        backoff: noWait,
        validate: positive,
        events: new EventEmitter({ sinks: [sink] }),
      },
      async (call) => (call === 1 ? -1 : call),
    );
    expect([ending.value, calls]).toEqual([2, 2]);
    expect(sink.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'validation.failed',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'validation.succeeded',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
  });

  it('makes up to three calls with retries: 2 [R226]', async () => {
    const { ending, calls } = await callOnce({ retries: 2 }, () => Promise.reject(down));
    expect(calls).toBe(3);
    expect(ending.report).toMatchObject({ attemptCount: 3, retryCount: 2, retried: true });
    expect(ending.report.lastError?.retryable).toBe(true);
  });

  it('has no retry policy with retries: 0 [R232]', async () => {
    const sink = new InMemoryEventSink();
    const { ending, calls } = await callOnce(
      { retries: 0, events: new EventEmitter({ sinks: [sink] }) },
      () => Promise.reject(down),
    );
    expect([calls, ending.report.retryCount]).toEqual([1, 0]);
    expect(ending.report.lastError?.retryable).toBe(false);
    expect(sink.events()[0]?.payload).toMatchObject({ retry_enabled: false });
  });

  it('takes a single fallback as a candidate with the name of its function [R233]', async () => {
    const readCache = jest.fn(async () => 'cached');
    Object.defineProperty(readCache, 'name', { value: 'readCache' });
    const { ending } = await callOnce({ fallback: readCache }, () => Promise.reject(down));
    expect(ending.value).toBe('cached');
    expect(ending.report.metadata).toMatchObject({
      fallback_candidate_name: 'readCache',
      fallback_candidate_index: 0,
    });
    expect(readCache).toHaveBeenCalledTimes(1);
  });
});

describe('resilient()', () => {
  const secret = Symbol('secret');
  async function readUser(_id: string, _fresh: boolean): Promise<string> {
    return 'user';
  }

  it('takes the name of the function, where none is given [R219]', async () => {
    expect((await resilient({}, readUser)('a', true)).report.operationName).toBe('readUser');
    expect((await resilient({ name: 'read' }, readUser)('a', true)).report.operationName).toBe('read');
    const nameless = (
      () => async (): Promise<void> =>
        undefined
    )();
    expect(() => resilient({}, nameless)).toThrow(
      "name is missing, and the function has none of its own; give name: '…'",
    );
    expect((await resilient({ name: 'named' }, nameless)()).report.operationName).toBe('named');
  });

  it('keeps name, length, properties and metadata of the function [R220]', () => {
    Object.assign(readUser, { [secret]: 1, tag: 'x' });
    Reflect.defineMetadata('roles', ['admin'], readUser);
    const protectedOne = resilient({ retries: 1 }, readUser);
    expect([protectedOne.name, protectedOne.length]).toEqual(['readUser', 2]);
    expect(protectedOne).not.toBe(readUser);
    expect({ ...protectedOne }).toEqual({ [secret]: 1, tag: 'x' });
    expect(Reflect.getOwnMetadata('roles', protectedOne)).toEqual(['admin']);
  });

  it('calls nothing before it is called [R222]', () => {
    const never = jest.fn((): never => {
      throw new Error('called');
    });
    resilient(
      {
        name: 'op',
        fallback: never,
        signal: never,
        circuitBreaker: never,
        validate: never,
        onReport: never,
        retries: 1,
        retryOn: never,
      },
      never,
    );
    expect(never).not.toHaveBeenCalled();
  });

  it('gives its functions the this that it was called with [R242]', async () => {
    const api = {
      host: 'h',
      read: resilient(
        {
          retries: 1,
          backoff: noWait,
          fallback(this: { host: string }) {
            return `fallback of ${this.host}`;
          },
        },
        async function read(this: { host: string }, fails: boolean) {
          if (fails) throw down;
          return this.host;
        },
      ),
    };
    expect((await api.read(false)).value).toBe('h');
    expect((await api.read(true)).value).toBe('fallback of h');
  });

  it('never throws synchronously', async () => {
    const run = resilient({}, function broken(): never {
      throw down;
    });
    const promise = run();
    expect(promise).toBeInstanceOf(Promise);
    expect(((await rejectionOf(promise)) as Error).cause).toBe(down);
  });
});
