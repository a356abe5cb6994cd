import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  asyncOperation,
  ConfigurationError,
  EventEmitter,
  fallbackChain,
  isRetryableHttp,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  type AnyEvent,
} from '../../lib/index.js';
import { gives, thrown, Upstream } from './support.js';
import { isGood } from './metadata-keys.js';

async function readUser(): Promise<number> {
  return 1;
}

/** What is said to options that cannot work. */
function complaint(options: unknown, fn: unknown = readUser): ConfigurationError {
  const error: unknown = thrown(() => resilient(options as never, fn as never));
  expect(error).toBeInstanceOf(ConfigurationError);
  return error as ConfigurationError;
}

const notDurations = [
  0,
  -1,
  NaN,
  Infinity,
  -Infinity,
  true,
  '',
  '5',
  '5 s',
  '-5s',
  '5d',
  'soon',
  null,
  {},
  [],
  5n,
  () => 5,
];
const notCounts = [-1, 1.5, NaN, Infinity, true, '3', '', null, 2 ** 53, {}];
const notFilters = [[], [null], ['Error'], [() => true], 'Error', Error.prototype, null, true];
const notFunctions = [null, true, 0, 'onReport', {}];

const bad: Record<string, readonly unknown[]> = {
  retries: notCounts,
  retryOn: notFilters,
  backoff: [null, 1, '1s', {}, { delayForRetry: 1 }, () => 1],
  retry: [null, true, 3, { maxAttempts: 3 }, readUser],
  timeout: notDurations,
  deadline: notDurations,
  circuitBreaker: [null, true, '', '  ', 5, {}],
  fallback: [null, true, '', 5, {}, []],
  fallbacks: [null, true, [], ['a'], {}],
  fallbackOn: notFilters,
  validate: [null, true, 5, [], {}, [null], ['is good']],
  validation: [null, true, {}, () => true],
  events: [null, false, {}, [], { emit: () => undefined }],
  signal: [null, false, true, {}, 'signal', new AbortController()],
  idempotent: [null, 0, 'no', {}],
  onReport: notFunctions,
};
const cases = Object.entries(bad).flatMap(([option, values]) =>
  values.map((value) => [option, value] as const),
);

describe('options that cannot work', () => {
  it.each(cases)('%s: %p is refused before anything runs, by its name and its place', (option, value) => {
    const upstream = new Upstream(gives(1));
    const companions =
      option === 'retryOn' || option === 'backoff'
        ? { retries: 1 }
        : option === 'fallbackOn'
          ? { fallback: readUser }
          : {};
    const error = complaint({ name: 'users.read', ...companions, [option]: value }, upstream.call);
    expect(error.option.startsWith(option) || error.option.startsWith('validation')).toBe(true);
    expect(error.message.startsWith(`users.read: ${error.option} `)).toBe(true);
    expect(error.cure).not.toBe('');
    expect(upstream.calls).toEqual([]);
  });

  it('never show what was given, as that may be a secret', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 4 }).filter((text) => !/^\d/.test(text)),
        fc.constantFrom('retries', 'timeout', 'retry', 'signal'),
        (text, option) => {
          const marked = `§${text}`;
          expect(complaint({ [option]: marked }).message).not.toContain(marked);
        },
      ),
    );
  });

  it.each([
    ['retry', 'retries', { retry: new RetryPolicy(), retries: 2 }],
    ['retry', 'retryOn', { retry: new RetryPolicy(), retryOn: [Error] }],
    ['retry', 'backoff', { retry: new RetryPolicy(), backoff: { delayForRetry: () => 1 } }],
    ['fallbacks', 'fallback', { fallbacks: fallbackChain(['f', readUser]), fallback: readUser }],
    ['fallbacks', 'fallbackOn', { fallbacks: fallbackChain(['f', readUser]), fallbackOn: [Error] }],
    ['validation', 'validate', { validation: validationPolicy(isGood), validate: isGood }],
  ])('say one thing twice: %s together with %s', (whole, part, options) => {
    const error = complaint(options);
    expect(error.message).toBe(
      `readUser: ${part} is given together with ${whole}; put it into ${whole}, or leave ${whole} out`,
    );
  });

  it.each([
    ['retryOn', 'retries', { retryOn: [Error] }],
    ['backoff', 'retries', { backoff: { delayForRetry: () => 1 } }],
    ['fallbackOn', 'fallback', { fallbackOn: [Error] }],
  ])('lack their companion: %s without %s', (option, needed, options) => {
    expect(complaint(options).message).toBe(
      `readUser: ${option} is given without ${needed}; add ${needed}, or leave ${option} out`,
    );
  });

  it.each([
    ['retires', 'retries'],
    ['Timeout', 'timeout'],
    ['circuitbreaker', 'circuitBreaker'],
    ['fallbackon', 'fallbackOn'],
    ['onreport', 'onReport'],
    ['clok', 'clock'],
  ])('are misspelt: %s is answered with %s', (misspelt, meant) => {
    const error = complaint({ [misspelt]: 1 });
    expect(error.message).toBe(`readUser: ${misspelt} is not an option here; did you mean ${meant}?`);
  });

  it('belong to methods of a class only', () => {
    expect(complaint({ fallback: 'readCache' }).message).toBe(
      'readUser: fallback is a name; give the function itself; only methods of a class go by name',
    );
    expect(complaint({ throws: 'original' }).option).toBe('throws');
  });

  it('give no name that could stand in a report [R194]', () => {
    for (const name of ['', ' ', 5, null]) expect(complaint({ name }).option).toBe('name');
    expect(complaint({}, async () => 1).message).toBe(
      "name is missing, and the function has none of its own; give name: '…'",
    );
  });

  it('are none at all, or come without a function', () => {
    for (const options of [undefined, null, 5, 'x', []])
      expect(complaint(options).message).toMatch(/^readUser: options is /);
    for (const fn of [null, {}, Promise.resolve()]) expect(complaint({}, fn).option).toBe('fn');
  });

  it('name a source of time or chance that is none', () => {
    expect(complaint({ clock: {} }).option).toBe('clock');
    expect(complaint({ random: 0.5 }).option).toBe('random');
    expect(thrown(() => asyncOperation('op', readUser, { clock: Date } as never)).option).toBe('clock');
    expect(thrown(() => asyncOperation('op', readUser, { clok: 1 } as never)).message).toBe(
      'clok is not an option here; did you mean clock?',
    );
    expect(thrown(() => asyncOperation('op', readUser, null as never)).option).toBe('options');
    for (const fn of [undefined, null, 5, Promise.resolve()])
      expect(thrown(() => asyncOperation('op', fn as never)).option).toBe('fn');
  });
});

describe('options that mean "not given" or "off"', () => {
  it('leave the policy out', async () => {
    const none = Object.fromEntries(Object.keys(bad).map((option) => [option, undefined]));
    const off = {
      retry: false,
      timeout: false,
      deadline: false,
      circuitBreaker: false,
      fallback: false,
      validate: false,
    } as const;
    for (const options of [
      none,
      off,
      { retries: 0 },
      { retries: 0, retryOn: [Error] },
      { fallback: false, fallbackOn: [Error] } as const,
    ]) {
      expect((await resilient(options, readUser)()).value).toBe(1);
    }
  });

  it('take predicates such as isRetryableHttp as filters', async () => {
    expect((await resilient({ retries: 1, retryOn: isRetryableHttp }, readUser)()).value).toBe(1);
  });
});

describe('a builder that is given something else than a policy', () => {
  const operation: any = asyncOperation('users.read', readUser);

  it.each([
    ['withRetry', 'retry', [undefined, null, false, 3, {}, new TimeoutPolicy(1)]],
    ['withTimeout', 'timeout', [undefined, null, false, 5, '5s', {}]],
    ['withDeadline', 'deadline', [undefined, ...notDurations]],
    ['withFallbacks', 'fallbacks', [undefined, null, false, readUser, []]],
    ['withCircuitBreaker', 'circuitBreaker', [undefined, null, false, 'payments', readUser, {}]],
    ['withValidation', 'validation', [undefined, null, false, () => true]],
    ['withEvents', 'events', [undefined, null, false, {}]],
    ['withSignal', 'signal', [undefined, null, false, {}, new AbortController()]],
    ['withIdempotent', 'idempotent', [undefined, null, 0, 'no']],
  ])('refuses it: %s', (method, option, values) => {
    for (const value of values) {
      const error = thrown(() => operation[method](value));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect([error.option, error.path]).toEqual([option, 'users.read']);
    }
  });

  it.each([undefined, null, 5, { signl: 1 }, { signal: 'x' }, { signal: null }])(
    'refuses it: runWith(%p)',
    (options) => {
      const upstream = new Upstream(gives(1));
      const build: any = asyncOperation('op', upstream.call);
      expect(thrown(() => build.runWith(options))).toBeInstanceOf(ConfigurationError);
      expect(upstream.calls).toEqual([]);
    },
  );
});

describe('a source of events that is shared', () => {
  it('is not changed by the operations that use it, however many there are', async () => {
    // B017
    const emit = jest.fn<(event: AnyEvent) => void>();
    const events = new EventEmitter({ sinks: [{ emit }] });
    for (let call = 0; call < 1_000; call += 1) {
      await resilient({ name: 'op', events, onReport: () => undefined, signal: () => undefined }, readUser)();
    }
    expect(emit).toHaveBeenCalledTimes(4_000);
  });
});
