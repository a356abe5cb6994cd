import { describe, expect, it } from '@jest/globals';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CircuitBreaker, CircuitBreakerRegistry } from '../../lib/index.js';
import {
  getCircuitBreakerToken,
  ResilienceModule,
  type CircuitBreakerRegistration,
} from '../../nest-module/index.js';
import { Client, featureWith, messageOf, startWith } from './configuration-support.js';

const db = { name: 'db', failureThreshold: 2 };
const asyncRoot = (settings: object): DynamicModule =>
  ResilienceModule.forRootAsync({
    circuitBreakers: ['db'],
    useFactory: async () => ({ circuitBreakers: { db: settings } }),
  });

describe('the same name with the same settings is one breaker,', () => {
  const filter = (): boolean => true;
  const instance = new CircuitBreaker({ name: 'db' });

  it.each<[string, CircuitBreakerRegistration, CircuitBreakerRegistration]>([
    ['as it is written', db, { ...db }],
    ['as it works', db, { name: 'db', failureThreshold: '2', recoveryTimeout: '30s' }],
    [
      'as it works, defaults spelt out',
      { name: 'db' },
      { name: 'db', failureThreshold: 5, recoveryTimeout: 30 },
    ],
    ['with the same filter', { ...db, recordFailureOn: filter }, { ...db, recordFailureOn: filter }],
    [
      'with a list of the same classes',
      { ...db, recordFailureOn: [TypeError, RangeError] },
      { ...db, recordFailureOn: [TypeError, RangeError] },
    ],
    ['given as an object', instance, instance],
  ])('%s', async (_name, one, other) => {
    const [first, second] = [featureWith(one), featureWith(other)];
    const imports = [first.FeatureModule, second.FeatureModule];
    const app = await startWith(ResilienceModule.forRoot(), { imports, providers: [Client] });
    const registered = app.get(CircuitBreakerRegistry).list();
    expect(registered).toHaveLength(1);
    for (const { Holder } of [first, second])
      expect(app.get(Holder, { strict: false }).breaker).toBe(registered[0]);
    const rooted = await startWith(ResilienceModule.forRoot({ circuitBreakers: [one] }), {
      imports: [second.FeatureModule],
    });
    expect(rooted.get(CircuitBreakerRegistry).list()).toEqual([rooted.get(getCircuitBreakerToken('db'))]);
    expect(rooted.get(second.Holder, { strict: false }).breaker).toBe(
      rooted.get(getCircuitBreakerToken('db')),
    );
  });

  it('also where the root module gets its settings later', async () => {
    const { FeatureModule, Holder } = featureWith({ ...db, recoveryTimeout: '1m' });
    const root = asyncRoot({ failureThreshold: '2', recoveryTimeout: 60 });
    const app = await startWith(root, { imports: [FeatureModule] });
    expect(app.get(Holder, { strict: false }).breaker).toBe(app.get(CircuitBreakerRegistry).get('db'));
  });

  it('also where one feature is imported by two modules', async () => {
    const feature = ResilienceModule.forFeature({ circuitBreakers: [db] });
    @Module({ imports: [feature] })
    class One {}
    @Module({ imports: [feature] })
    class Two {}
    const app = await startWith(ResilienceModule.forRoot(), { imports: [One, Two] });
    expect(app.get(CircuitBreakerRegistry).names()).toEqual(['db']);
  });
});

describe('the same name with other settings stops the application, and both are shown', () => {
  const DEFAULTS = 'failureThreshold 5, recoveryTimeout 30 s';
  const CURE = 'give the same settings in both places, or another name in one';
  const filter = (): boolean => true;

  it.each<[string, CircuitBreakerRegistration, CircuitBreakerRegistration, string]>([
    [
      'a threshold',
      { name: 'db', failureThreshold: 3 },
      { name: 'db' },
      `failureThreshold 3, recoveryTimeout 30 s, and ${DEFAULTS}`,
    ],
    [
      'a recovery time',
      { name: 'db' },
      { name: 'db', recoveryTimeout: '1m' },
      `${DEFAULTS}, and failureThreshold 5, recoveryTimeout 60 s`,
    ],
    [
      'a filter and none',
      { name: 'db', recordFailureOn: filter },
      { name: 'db' },
      `${DEFAULTS}, recordFailureOn of its own, and ${DEFAULTS}`,
    ],
    [
      'two filters that may differ',
      { name: 'db', recordFailureOn: () => true },
      { name: 'db', recordFailureOn: () => true },
      `${DEFAULTS}, recordFailureOn of its own, and ${DEFAULTS}, recordFailureOn of its own`,
    ],
    [
      'lists of other classes',
      { name: 'db', recordFailureOn: [TypeError] },
      { name: 'db', recordFailureOn: [RangeError] },
      `${DEFAULTS}, recordFailureOn of its own, and ${DEFAULTS}, recordFailureOn of its own`,
    ],
    [
      'an object and settings',
      new CircuitBreaker({ name: 'db' }),
      { name: 'db' },
      `a CircuitBreaker object of its own, and ${DEFAULTS}`,
    ],
    [
      'two objects',
      new CircuitBreaker({ name: 'db' }),
      new CircuitBreaker({ name: 'db' }),
      'a CircuitBreaker object of its own, and a CircuitBreaker object of its own',
    ],
  ])('%s', async (_name, one, other, both) => {
    const { FeatureModule } = featureWith(other);
    const expected = `circuitBreakers has 'db' twice: ${both}; ${CURE}`;
    const rooted = startWith(ResilienceModule.forRoot({ circuitBreakers: [one] }), {
      imports: [FeatureModule],
    });
    expect(await messageOf(rooted)).toBe(expected);
    const features = startWith(ResilienceModule.forRoot(), {
      imports: [featureWith(one).FeatureModule, FeatureModule],
    });
    expect(await messageOf(features)).toBe(expected);
  });

  it('also where the root module gets its settings later', async () => {
    const { FeatureModule } = featureWith(db);
    expect(await messageOf(startWith(asyncRoot({}), { imports: [FeatureModule] }))).toMatch(
      /^circuitBreakers has 'db' twice: failureThreshold \d.* and failureThreshold \d/,
    );
  });

  it('also where Nest tells modules apart by their printed metadata', async () => {
    const [one, other] = [featureWith(db), featureWith({ name: 'db', failureThreshold: 3 })];
    @Module({ imports: [ResilienceModule.forRoot(), one.FeatureModule, other.FeatureModule] })
    class AppModule {}
    const options = { logger: false, abortOnError: false, moduleIdGeneratorAlgorithm: 'deep-hash' } as const;
    expect(await messageOf(NestFactory.createApplicationContext(AppModule, options))).toContain(
      "circuitBreakers has 'db' twice",
    );
  });
});
