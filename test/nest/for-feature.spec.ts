import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, Scope, type DynamicModule, type Type } from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { CircuitBreaker, CircuitBreakerRegistry, Resilient } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  getCircuitBreakerToken,
  InjectCircuitBreaker,
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  ResilienceModule,
  type CircuitBreakerRegistration,
  type ResilienceFeatureOptions,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { messageOf, startWith } from './configuration-support.js';
import { closing } from './support.js';

/** A module with a feature, and a provider in it that injects the breaker. */
function featureWith(...circuitBreakers: CircuitBreakerRegistration[]) {
  @Injectable()
  class Holder {
    constructor(@InjectCircuitBreaker('db') readonly breaker: CircuitBreaker) {}
  }
  @Module({ imports: [ResilienceModule.forFeature({ circuitBreakers })], providers: [Holder] })
  class FeatureModule {}
  return { FeatureModule, Holder };
}

@Injectable()
class Client {
  @Resilient({ circuitBreaker: 'db' })
  async call(): Promise<never> {
    throw new Error('down');
  }
}

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

describe('the breaker of a feature', () => {
  it('is injected only where the feature is imported', async () => {
    @Module({ imports: [ResilienceModule.forFeature({ circuitBreakers: [db] })] })
    class FeatureModule {}
    @Injectable()
    class Stranger {
      constructor(@InjectCircuitBreaker('db') readonly breaker: CircuitBreaker) {}
    }
    const starting = startWith(ResilienceModule.forRoot(), {
      imports: [FeatureModule],
      providers: [Stranger],
    });
    expect(await messageOf(starting)).toContain('relprim/circuit-breaker:db');
  });

  it('is found by name from decorators everywhere, those of scoped classes too', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class ScopedClient extends Client {}
    const { FeatureModule, Holder } = featureWith(db);
    const app = await startWith(ResilienceModule.forRoot(), {
      imports: [FeatureModule],
      providers: [Client, ScopedClient],
    });
    await expect(app.get(Client).call()).rejects.toThrow('down');
    await expect((await app.resolve(ScopedClient)).call()).rejects.toThrow('down');
    const { breaker } = app.get(Holder, { strict: false });
    expect(breaker.state).toBe('open');
    expect(app.get(ResilienceExecutor).describe('Client.call')).toContain("circuit breaker 'db'");
  });

  it('goes by the clock of the application', async () => {
    const clock = new FakeClock();
    const { FeatureModule, Holder } = featureWith({ name: 'db', failureThreshold: 1, recoveryTimeout: '5s' });
    const app = await startWith(
      ResilienceModule.forRoot(),
      { imports: [FeatureModule], providers: [Client] },
      (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    await expect(app.get(Client).call()).rejects.toThrow('down');
    const { breaker } = app.get(Holder, { strict: false });
    expect(breaker.snapshot().retryAfterSeconds).toBe(5);
    await clock.advance('5s');
    expect(breaker.snapshot().probeDue).toBe(true);
  });

  it('may be replaced by a test, for decorators as for those who inject it', async () => {
    const replacement = new CircuitBreaker({ name: 'replaced', failureThreshold: 1 });
    const { FeatureModule, Holder } = featureWith(db);
    for (const root of [ResilienceModule.forRoot(), ResilienceModule.forRoot({ circuitBreakers: [db] })]) {
      const app = await startWith(root, { imports: [FeatureModule], providers: [Client] }, (builder) =>
        builder.overrideProvider(getCircuitBreakerToken('db')).useValue(replacement),
      );
      expect(app.get(Holder, { strict: false }).breaker).toBe(replacement);
      await expect(app.get(Client).call()).rejects.toThrow('down');
      expect(replacement.state).toBe('open');
      replacement.reset();
    }
  });

  it('may be replaced by the factory of a test, though that makes one for each module', async () => {
    const factory = (): CircuitBreaker => new CircuitBreaker({ name: 'db', failureThreshold: 9 });
    const { FeatureModule } = featureWith(db);
    const app = await startWith(
      ResilienceModule.forRoot({ circuitBreakers: [db] }),
      { imports: [FeatureModule], providers: [Client] },
      (builder) => builder.overrideProvider(getCircuitBreakerToken('db')).useFactory({ factory }),
    );
    expect(app.get(CircuitBreakerRegistry).get('db').failureThreshold).toBe(9);
  });

  it('is not that of another application with the same module', async () => {
    const { FeatureModule, Holder } = featureWith(db);
    const apps = [];
    for (const _ of [1, 2])
      apps.push(await startWith(ResilienceModule.forRoot(), { imports: [FeatureModule] }));
    const [one, two] = apps.map((app) => app.get(Holder, { strict: false }).breaker);
    expect(one).not.toBe(two);
  });
});

describe('a module that is loaded late', () => {
  async function load(root: DynamicModule, feature: Type) {
    const app = await startWith(root);
    return { app, loaded: app.get(LazyModuleLoader).load(() => feature) };
  }

  it('brings its breakers along', async () => {
    @Injectable()
    class LateClient extends Client {
      constructor(@InjectCircuitBreaker('db') readonly breaker: CircuitBreaker) {
        super();
      }
    }
    @Module({ imports: [ResilienceModule.forFeature({ circuitBreakers: [db] })], providers: [LateClient] })
    class LateModule {}
    const { app, loaded } = await load(ResilienceModule.forRoot(), LateModule);
    const client = (await loaded).get(LateClient);
    expect(app.get(CircuitBreakerRegistry).get('db')).toBe(client.breaker);
    for (const _ of [1, 2]) await expect(client.call()).rejects.toThrow('down');
    expect(client.breaker.state).toBe('open');
  });

  it('shares those that are there, and is refused with other settings', async () => {
    const { FeatureModule, Holder } = featureWith(db);
    const same = await load(ResilienceModule.forRoot({ circuitBreakers: [db] }), FeatureModule);
    expect((await same.loaded).get(Holder, { strict: false }).breaker).toBe(
      same.app.get(getCircuitBreakerToken('db')),
    );
    const other = await load(ResilienceModule.forRoot({ circuitBreakers: [{ name: 'db' }] }), FeatureModule);
    expect(await messageOf(other.loaded)).toContain("circuitBreakers has 'db' twice");
    expect(other.app.get(CircuitBreakerRegistry).get('db').failureThreshold).toBe(5);
  });
});

describe('forFeature refuses', () => {
  it('to be imported without forRoot', async () => {
    const { FeatureModule } = featureWith(db);
    const starting = Test.createTestingModule({ imports: [FeatureModule] })
      .compile()
      .then((app) => closing(app).init());
    expect(await messageOf(starting)).toBe(
      'ResilienceModule.forFeature is imported without ResilienceModule.forRoot; import ResilienceModule.forRoot() in the root module',
    );
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'ResilienceModule.forFeature: options is undefined; give an object of options'],
    [
      'what belongs to the root',
      { defaults: {} },
      'ResilienceModule.forFeature: defaults is not an option here; the options are circuitBreakers',
    ],
    [
      'names alone',
      { circuitBreakers: ['db'] },
      'ResilienceModule.forFeature: circuitBreakers[0] is a string',
    ],
    [
      'settings that cannot work',
      { circuitBreakers: [{ name: 'db', recoveryTimeout: 0 }] },
      "ResilienceModule.circuitBreakers[0]: recoveryTimeout of circuit breaker 'db' is the number 0",
    ],
    [
      'one name twice',
      { circuitBreakers: [db, db] },
      "ResilienceModule.forFeature: circuitBreakers[1].name 'db' is given twice",
    ],
  ])('%s', (_name, options, message) => {
    const { message: said } = mistakeOf(() =>
      ResilienceModule.forFeature(options as ResilienceFeatureOptions),
    );
    expect(said.slice(0, message.length)).toBe(message);
  });

  it('nothing without breakers', async () => {
    const imports = [ResilienceModule.forFeature({}), ResilienceModule.forFeature({ circuitBreakers: [] })];
    const app = await startWith(ResilienceModule.forRoot(), { imports });
    expect(app.get(CircuitBreakerRegistry).names()).toEqual([]);
  });
});
