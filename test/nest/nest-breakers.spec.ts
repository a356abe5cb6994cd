import { describe, expect, it } from '@jest/globals';
import { Module, type DynamicModule } from '@nestjs/common';
import { type CircuitBreaker, CircuitBreakerRegistry } from '../../lib/index.js';
import {
  getCircuitBreakerToken,
  ResilienceModule,
  type CircuitBreakerConfiguration,
  type CircuitBreakerRegistration,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { messageOf, startWith } from './configuration-support.js';

/** Every setting as a configuration file or the environment has it. */
const TEXTS: CircuitBreakerConfiguration = {
  failureThreshold: '7',
  failureRate: '0.5',
  window: '40',
  minimumCalls: '8',
  slowCallSeconds: '250ms',
  slowCallRate: '0.75',
  budget: { limit: '2.5', per: '1h' },
  recoveryTimeout: { initial: '5s', factor: '3', max: '1m', jitter: '0.2' },
  probes: { concurrent: 'Infinity', successes: '3', lease: '20s' },
  maxKeys: '50',
  ignoreLocalStalls: 'true',
};
const NUMBERS: CircuitBreakerConfiguration = {
  failureThreshold: 7,
  failureRate: 0.5,
  window: 40,
  minimumCalls: 8,
  slowCallSeconds: 0.25,
  slowCallRate: 0.75,
  budget: { limit: 2.5, per: 3_600 },
  recoveryTimeout: { initial: 5, factor: 3, max: 60, jitter: 0.2 },
  probes: { concurrent: Infinity, successes: 3, lease: 20 },
  maxKeys: 50,
  ignoreLocalStalls: true,
};
const MEANING =
  'failureThreshold 7, failureRate 0.5, slowCallRate 0.75 above 0.25 s, window 40 calls, minimumCalls 8, ' +
  'budget 2.5 per 3600 s, recoveryTimeout 5 s (× 3, at most 60 s), jitter 0.2, ' +
  'concurrent probes Infinity, successes 3, lease 20 s, maxKeys 50, ignoreLocalStalls';

async function breakerOf(root: DynamicModule): Promise<CircuitBreaker> {
  return (await startWith(root)).get<CircuitBreaker>(getCircuitBreakerToken('db'));
}

const rootWith = (settings: object): DynamicModule =>
  ResilienceModule.forRoot({ circuitBreakers: [{ name: 'db', ...settings }] });
const asyncRootWith = (settings: object): DynamicModule =>
  ResilienceModule.forRootAsync({
    circuitBreakers: ['db'],
    useFactory: async () => ({ circuitBreakers: { db: settings } }),
  });

describe('all settings of a circuit breaker', () => {
  it.each([
    ['forRoot', rootWith],
    ['forRootAsync', asyncRootWith],
  ])('may come as text, and mean what the numbers mean, in %s', async (_, root) => {
    expect((await breakerOf(root(NUMBERS))).describe()).toBe(MEANING);
    const breaker = await breakerOf(root(TEXTS));
    expect(breaker.describe()).toBe(MEANING);
    expect(breaker.keyed('acme').describe()).toBe(MEANING);
  });

  it('have a window of time where its text has a unit', async () => {
    const breaker = await breakerOf(rootWith({ failureRate: '0.5', window: '60s' }));
    expect(breaker.describe()).toBe('failureRate 0.5, window 60 s, minimumCalls 10, recoveryTimeout 30 s');
  });

  it.each([
    [{ failureRate: '50%' }, 'failureRate', 'is a string; give a number from 0 to 1'],
    [{ failureRate: '50' }, 'failureRate', 'is the number 50; give a number from 0 to 1'],
    [{ failureRate: '0.5', window: '1.5' }, 'window', undefined],
    [
      { probes: { concurrent: 'unlimited' } },
      'probes.concurrent',
      'is a string; give a whole number, 1 or more',
    ],
    [{ budget: { limit: 'much', per: '1h' } }, 'budget.limit', 'is a string; give a number of 0 or more'],
    [{ recoveryTimeout: '30' }, 'recoveryTimeout', undefined],
    [{ recoveryTimeout: { initial: '5s' } }, 'recoveryTimeout.max', undefined],
    [{ maxKeys: 'many' }, 'maxKeys', 'is a string; give a whole number, 1 or more'],
    [{ ignoreLocalStalls: 'yes' }, 'ignoreLocalStalls', 'is a string; give true or false'],
  ])('are refused where they mean nothing: %j', (settings, option, problem) => {
    const { message } = mistakeOf(() => rootWith(settings));
    expect(message).toContain(
      `ResilienceModule.circuitBreakers[0]: ${option} of circuit breaker 'db' ${problem ?? 'is '}`,
    );
  });

  it('are refused where the factory gives them, when the application starts', async () => {
    expect(await messageOf(startWith(asyncRootWith({ failureRate: '2' })))).toBe(
      "ResilienceModule.circuitBreakers['db']: failureRate of circuit breaker 'db' is the number 2; give a number from 0 to 1",
    );
  });

  it('are read when the module is made: who changes them afterwards changes nothing', async () => {
    const budget = { limit: 10, per: 60 };
    const root = rootWith({ budget });
    budget.limit = 99;
    expect((await breakerOf(root)).describe()).toBe('budget 10 per 60 s, recoveryTimeout 30 s');
  });
});

describe('one name in two places', () => {
  const cost = (): number => 1;
  const both = (one: object, other: object): Promise<unknown> => {
    const entry = (settings: object) => ({ name: 'db', ...settings }) as CircuitBreakerRegistration;
    @Module({ imports: [ResilienceModule.forFeature({ circuitBreakers: [entry(other)] })] })
    class FeatureModule {}
    return startWith(ResilienceModule.forRoot({ circuitBreakers: [entry(one)] }), {
      imports: [FeatureModule],
    });
  };

  it('is one breaker where the settings mean the same', async () => {
    const app = (await both(TEXTS, NUMBERS)) as Awaited<ReturnType<typeof startWith>>;
    expect(app.get(CircuitBreakerRegistry).list()).toHaveLength(1);
    const budget = { limit: 1, per: 60, cost };
    await both({ budget }, { budget: { ...budget, per: '1m' } });
  });

  it.each<[object, object, string]>([
    [{ failureRate: 0.5 }, { failureRate: 0.6 }, 'failureRate 0.5, window 20 calls'],
    [{ failureRate: 0.5 }, { failureRate: 0.5, window: '20s' }, 'failureRate 0.5, window 20 s'],
    [{ failureRate: 0.5 }, { failureRate: 0.5, minimumCalls: 5 }, 'minimumCalls 5'],
    [{ budget: { limit: 1, per: 60 } }, { budget: { limit: 2, per: 60 } }, 'budget 2 per 60 s'],
    [{ budget: { limit: 1, per: 60 } }, { budget: { limit: 1, per: 60, cost } }, 'budget.cost of its own'],
    [{}, { recoveryTimeout: { initial: 30, max: 60 } }, 'recoveryTimeout 30 s (× 2, at most 60 s)'],
    [{}, { recoveryTimeout: { initial: 30, max: 30, jitter: 0.1 } }, 'jitter 0.1'],
    [{}, { probes: { concurrent: 2 } }, 'concurrent probes 2'],
    [{}, { probes: { successes: 2 } }, 'successes 2'],
    [{}, { probes: { lease: 2 } }, 'lease 2 s'],
    [{}, { maxKeys: 10 }, 'maxKeys 10'],
    [{}, { ignoreLocalStalls: true }, 'ignoreLocalStalls'],
  ])('keeps the application from starting where they differ: %j, %j', async (one, other, difference) => {
    const message = await messageOf(both(one, other));
    expect(message).toMatch(/^circuitBreakers has 'db' twice: .*; give the same settings in both places, /);
    expect(message).toContain(difference);
  });
});
