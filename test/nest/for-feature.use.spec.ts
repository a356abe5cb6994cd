import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, Scope, type DynamicModule, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { CircuitBreaker, CircuitBreakerRegistry } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  getCircuitBreakerToken,
  InjectCircuitBreaker,
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceFeatureOptions,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { Client, featureWith, messageOf, startWith } from './configuration-support.js';

const db = { name: 'db', failureThreshold: 2 };
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
    const compiling = Test.createTestingModule({ imports: [FeatureModule] }).compile();
    expect(await messageOf(compiling)).toBe(
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
