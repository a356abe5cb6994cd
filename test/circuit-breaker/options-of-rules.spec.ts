import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, type CircuitBreakerOptions } from '../../lib/index.js';
import { TRIP_RULE_OPTIONS } from '../../lib/policies/circuit-breaker/rules/rule-from.js';
import { mistakeOf } from '../support/mistake-of.js';

const refusedFor = (options: object): string =>
  mistakeOf(() => new CircuitBreaker({ name: 'db', ...options })).message;

const SHARE = 'give a number from 0 to 1';
const COUNT = 'give a whole number, 1 or more';
const DURATION = "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'";
const ZERO = 'is 0, which opens at every call; give a share above 0 and up to 1';
const RATE = { failureRate: 0.5 };
const SLOW = { slowCallRate: 0.5, slowCallSeconds: 1 };
const RECOVERY = { initial: 1, max: 10 };
const BUDGET = { limit: 1, per: '60s' };

/** Options that cannot work, the option that is named, and what is said of it. */
const WRONG: readonly (readonly [object, string, string])[] = [
  [{ failureThreshold: null }, 'failureThreshold', `is null; ${COUNT}`],
  [{ ...RATE, failureThreshold: 0 }, 'failureThreshold', `is the number 0; ${COUNT}`],

  // B069
  [{ failureRate: 0 }, 'failureRate', ZERO],
  [{ failureRate: 1.01 }, 'failureRate', `is the number 1.01; ${SHARE}`],
  [{ failureRate: -0.1 }, 'failureRate', `is the number -0.1; ${SHARE}`],
  [{ failureRate: 50 }, 'failureRate', `is the number 50; ${SHARE}`],
  [{ failureRate: NaN }, 'failureRate', `is NaN; ${SHARE}`],
  [{ failureRate: '0.5' }, 'failureRate', `is a string; ${SHARE}`],
  [{ failureRate: null }, 'failureRate', `is null; ${SHARE}`],

  [{ window: 10 }, 'window', 'is given without failureRate; add failureRate, or leave window out'],
  [
    { minimumCalls: 10 },
    'minimumCalls',
    'is given without failureRate; add failureRate, or leave minimumCalls out',
  ],
  [{ ...RATE, window: 0 }, 'window', `is the number 0; ${COUNT}`],
  [{ ...RATE, window: 1.5 }, 'window', `is the number 1.5; ${COUNT}`],
  [{ ...RATE, window: Infinity }, 'window', `is Infinity; ${COUNT}`],
  [{ ...RATE, window: null }, 'window', `is null; ${COUNT}`],
  [
    { ...RATE, window: 1_000_001 },
    'window',
    "is the number 1000001; give at most 1000000 calls, or a window of time such as '60s'",
  ],
  [{ ...RATE, window: '20' }, 'window', `is a string; ${DURATION}`],
  [{ ...RATE, window: '0s' }, 'window', `is a string; ${DURATION}`],

  [{ ...RATE, minimumCalls: 0 }, 'minimumCalls', `is the number 0; ${COUNT}`],
  [{ ...RATE, minimumCalls: null }, 'minimumCalls', `is null; ${COUNT}`],
  [
    { ...RATE, minimumCalls: 21 },
    'minimumCalls',
    'is 21, and the window never holds more than 20 calls; give at most the size of the window',
  ],
  [
    { ...RATE, window: 5, minimumCalls: 6 },
    'minimumCalls',
    'is 6, and the window never holds more than 5 calls; give at most the size of the window',
  ],

  [
    { slowCallRate: 0.5 },
    'slowCallRate',
    'is given without slowCallSeconds; add slowCallSeconds, or leave slowCallRate out',
  ],
  [
    { slowCallSeconds: 1 },
    'slowCallSeconds',
    'is given without slowCallRate; add slowCallRate, or leave slowCallSeconds out',
  ],
  [{ ...SLOW, slowCallRate: 0 }, 'slowCallRate', ZERO],
  [{ ...SLOW, slowCallRate: 2 }, 'slowCallRate', `is the number 2; ${SHARE}`],
  [{ ...SLOW, slowCallSeconds: 0 }, 'slowCallSeconds', `is the number 0; ${DURATION}`],
  [{ ...SLOW, slowCallSeconds: '1' }, 'slowCallSeconds', `is a string; ${DURATION}`],

  [{ budget: null }, 'budget', 'is null; give an object of options'],
  [{ budget: 100 }, 'budget', 'is the number 100; give an object of options'],
  [{ budget: {} }, 'budget.limit', 'is undefined; give a number of 0 or more'],
  [{ budget: { limit: 1 } }, 'budget.per', `is undefined; ${DURATION}`],
  [{ budget: { ...BUDGET, limit: 0 } }, 'budget.limit', 'is the number 0; give a number above 0'],
  [{ budget: { ...BUDGET, limit: -1 } }, 'budget.limit', 'is the number -1; give a number of 0 or more'],
  [{ budget: { ...BUDGET, limit: Infinity } }, 'budget.limit', 'is Infinity; give a number of 0 or more'],
  [{ budget: { ...BUDGET, per: '1d' } }, 'budget.per', `is a string; ${DURATION}`],
  [{ budget: { ...BUDGET, cost: 5 } }, 'budget.cost', 'is the number 5; give a function'],
  [{ budget: { ...BUDGET, costs: () => 1 } }, 'costs', 'is not an option here; did you mean cost?'],

  [{ recoveryTimeout: null }, 'recoveryTimeout', `is null; ${DURATION}`],
  [{ recoveryTimeout: {} }, 'recoveryTimeout.initial', `is undefined; ${DURATION}`],
  [{ recoveryTimeout: { initial: 1 } }, 'recoveryTimeout.max', `is undefined; ${DURATION}`],
  [
    { recoveryTimeout: { ...RECOVERY, initial: 0 } },
    'recoveryTimeout.initial',
    `is the number 0; ${DURATION}`,
  ],
  [
    { recoveryTimeout: { ...RECOVERY, max: 0.5 } },
    'recoveryTimeout.max',
    'is the number 0.5; give at least as much as initial',
  ],
  [
    { recoveryTimeout: { ...RECOVERY, factor: 0.9 } },
    'recoveryTimeout.factor',
    'is the number 0.9; give a number of 1 or more',
  ],
  [
    { recoveryTimeout: { ...RECOVERY, factor: Infinity } },
    'recoveryTimeout.factor',
    'is Infinity; give a number of 1 or more',
  ],
  [
    { recoveryTimeout: { ...RECOVERY, jitter: 1.1 } },
    'recoveryTimeout.jitter',
    `is the number 1.1; ${SHARE}`,
  ],
  [{ recoveryTimeout: { ...RECOVERY, jitter: 'full' } }, 'recoveryTimeout.jitter', `is a string; ${SHARE}`],
  [
    { recoveryTimeout: { ...RECOVERY, maximum: 5 } },
    'maximum',
    'is not an option here; the options are initial, factor, max, jitter',
  ],

  [{ probes: null }, 'probes', 'is null; give an object of options'],
  [{ probes: 3 }, 'probes', 'is the number 3; give an object of options'],
  [{ probes: { concurrent: 0 } }, 'probes.concurrent', `is the number 0; ${COUNT}`],
  [{ probes: { concurrent: -Infinity } }, 'probes.concurrent', `is -Infinity; ${COUNT}`],
  [{ probes: { concurrent: 'Infinity' } }, 'probes.concurrent', `is a string; ${COUNT}`],
  [{ probes: { successes: 0 } }, 'probes.successes', `is the number 0; ${COUNT}`],
  [{ probes: { successes: Infinity } }, 'probes.successes', `is Infinity; ${COUNT}`],
  [{ probes: { lease: 0 } }, 'probes.lease', `is the number 0; ${DURATION}`],
  [{ probes: { leases: 5 } }, 'leases', 'is not an option here; did you mean lease?'],

  [{ maxKeys: 0 }, 'maxKeys', `is the number 0; ${COUNT}`],
  [{ maxKeys: Infinity }, 'maxKeys', `is Infinity; ${COUNT}`],
  [{ random: 5 }, 'random', 'is the number 5; give a function'],
];

describe('the options of rules, budgets, probes and recovery', () => {
  it.each(WRONG)('%j are refused', (options, option, problem) => {
    expect(refusedFor(options)).toBe(`${option} of circuit breaker 'db' ${problem}`);
  });

  it('that do not exist are refused, and the nearest is named', () => {
    expect(refusedFor({ failureRat: 0.5 })).toBe(
      'failureRat is not an option here; did you mean failureRate?',
    );
    expect(refusedFor({ slowCallsRate: 0.5 })).toBe(
      'slowCallsRate is not an option here; did you mean slowCallRate?',
    );
  });

  it.each<readonly [CircuitBreakerOptions, string]>([
    [{}, 'failureThreshold 5, recoveryTimeout 30 s'],
    [{ failureRate: 1 }, 'failureRate 1, window 20 calls, minimumCalls 20, recoveryTimeout 30 s'],
    [
      { failureRate: 0.5, window: '60s' },
      'failureRate 0.5, window 60 s, minimumCalls 10, recoveryTimeout 30 s',
    ],
    [
      {
        failureThreshold: 3,
        failureRate: 0.5,
        window: 10,
        minimumCalls: 5,
        slowCallRate: 1,
        slowCallSeconds: '2s',
      },
      'failureThreshold 3, failureRate 0.5, slowCallRate 1 above 2 s, window 10 calls, minimumCalls 5, recoveryTimeout 30 s',
    ],
    [{ budget: { limit: 0.5, per: '1h' } }, 'budget 0.5 per 3600 s, recoveryTimeout 30 s'],
    [
      { failureThreshold: 5, budget: { limit: 9, per: 60 } },
      'failureThreshold 5, budget 9 per 60 s, recoveryTimeout 30 s',
    ],
    [
      { probes: { concurrent: Infinity, successes: 3, lease: '5s' }, maxKeys: 10 },
      'failureThreshold 5, recoveryTimeout 30 s, concurrent probes Infinity, successes 3, lease 5 s, maxKeys 10',
    ],
  ])('%j are right, and mean what they say', (options, described) => {
    expect(new CircuitBreaker(options).describe()).toBe(described);
  });

  it('may have a window of a million calls', () => {
    const breaker = new CircuitBreaker({ ...RATE, window: 1_000_000 });
    expect(breaker.describe()).toContain('window 1000000 calls');
  });

  it('mean nothing where they are undefined', () => {
    const unsaid = [...TRIP_RULE_OPTIONS, 'budget', 'recoveryTimeout', 'probes', 'maxKeys', 'random'];
    const options = Object.fromEntries(unsaid.map((name) => [name, undefined]));
    expect(new CircuitBreaker(options).describe()).toBe(new CircuitBreaker().describe());
    const probes = { concurrent: undefined, successes: undefined, lease: undefined };
    expect(new CircuitBreaker({ probes }).describe()).toBe(new CircuitBreaker().describe());
  });

  it('are read once: who changes them afterwards changes no breaker, and none of its keys', () => {
    const options = { failureThreshold: 2, budget: { limit: 10, per: 60 }, probes: { successes: 2 } };
    const breaker = new CircuitBreaker(options);
    const before = breaker.describe();
    options.failureThreshold = 9;
    options.budget.limit = 99;
    options.probes.successes = 9;
    expect(breaker.describe()).toBe(before);
    expect(breaker.keyed('acme').describe()).toBe(before);
  });
});
