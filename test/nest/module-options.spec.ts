import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ConfigurationError, InMemoryEventSink, RetryPolicy, type EventSink } from '../../lib/index.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { build, start } from './support.js';

describe('ResilienceModule.forRoot refuses', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'ResilienceModule: options is null; give an object of options'],
    ['a list', [], 'ResilienceModule: options is an empty list; give an object of options'],
    [
      'a misspelt option',
      { circuitBreaker: [] },
      'ResilienceModule: circuitBreaker is not an option here; did you mean circuitBreakers?',
    ],
    [
      'an unknown option',
      { whatever: 1 },
      'ResilienceModule: whatever is not an option here; the options are circuitBreakers, shields, concurrencyLimits, eventSinks, exceptionFilter, imports, sinkErrors, defaults, policies, operations, idempotencyKeyScope, silenceWarnings',
    ],
    [
      'breakers that are no list',
      { circuitBreakers: 'payments' },
      'ResilienceModule: circuitBreakers is a string; give a list',
    ],
    [
      'a breaker that is only a name',
      { circuitBreakers: ['payments'] },
      'ResilienceModule: circuitBreakers[0] is a string; give an object of options',
    ],
    [
      'a breaker that is null',
      { circuitBreakers: [{ name: 'a' }, null] },
      'ResilienceModule: circuitBreakers[1] is null; give an object of options',
    ],
    [
      'a breaker without a name',
      { circuitBreakers: [{}] },
      'ResilienceModule.circuitBreakers[0]: name is undefined; give the name that methods use',
    ],
    [
      'a breaker with a blank name',
      { circuitBreakers: [{ name: ' ' }] },
      'ResilienceModule.circuitBreakers[0]: name is a blank string; give a text that is not blank',
    ],
    [
      'a misspelt breaker option',
      { circuitBreakers: [{ name: 'a', failureTreshold: 1 }] },
      'ResilienceModule.circuitBreakers[0]: failureTreshold is not an option here; did you mean failureThreshold?',
    ],
    [
      'a threshold of 0',
      { circuitBreakers: [{ name: 'a', failureThreshold: 0 }] },
      "ResilienceModule.circuitBreakers[0]: failureThreshold of circuit breaker 'a' is the number 0; give a whole number, 1 or more",
    ],
    [
      'a recovery time that is NaN',
      { circuitBreakers: [{ name: 'a', recoveryTimeout: Number.NaN }] },
      "ResilienceModule.circuitBreakers[0]: recoveryTimeout of circuit breaker 'a' is NaN; give seconds as a number above 0",
    ],
    [
      'two breakers of one name',
      { circuitBreakers: [{ name: 'a' }, { name: 'a' }] },
      "ResilienceModule: circuitBreakers[1].name 'a' is given twice; give each breaker a name of its own",
    ],
    [
      'sinks that are no list',
      { eventSinks: new InMemoryEventSink() },
      'ResilienceModule: eventSinks is an object; give a list',
    ],
    [
      'a sink that cannot be told',
      { eventSinks: [{}] },
      'ResilienceModule: eventSinks[0] is an object; give a class or an object with an emit(event) method',
    ],
    [
      'a function for a sink',
      { eventSinks: [() => undefined] },
      'ResilienceModule: eventSinks[0] is a function; give a class or an object with an emit(event) method',
    ],
    [
      'no sink',
      { eventSinks: [undefined] },
      'ResilienceModule: eventSinks[0] is undefined; give a class or an object with an emit(event) method',
    ],
    [
      'a rule for sink errors that is none',
      { sinkErrors: 'ignore' },
      "ResilienceModule: sinkErrors is a string; give 'isolate' or 'propagate'",
    ],
    ['imports that are no list', { imports: Module }, 'ResilienceModule: imports is a function; give a list'],
    [
      'defaults that are no options',
      { defaults: 5 },
      'ResilienceModule.defaults: options is the number 5; give an object of options',
    ],
    [
      'a misspelt default',
      { defaults: { timout: 1 } },
      'ResilienceModule.defaults: timout is not an option here; did you mean timeout?',
    ],
    [
      'a default that belongs to one method',
      { defaults: { name: 'x' } },
      'ResilienceModule.defaults: name is not an option here',
    ],
    [
      'a default of the wrong kind',
      { defaults: { timeout: 'ten' } },
      'ResilienceModule.defaults: timeout is a string; give seconds as a number above 0',
    ],
    [
      'defaults that say a thing twice',
      { defaults: { retries: 1, retry: new RetryPolicy() } },
      'ResilienceModule.defaults: retries is given together with retry',
    ],
    [
      'a default for throws that is none',
      { defaults: { throws: 'both' } },
      "ResilienceModule.defaults: throws is a string; give 'original' or 'execution-error'",
    ],
  ])('%s', (_name, options, message) => {
    let error: unknown;
    try {
      ResilienceModule.forRoot(options as ResilienceModuleOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).message.slice(0, message.length)).toBe(message);
  });

  it('nothing that is left out', async () => {
    const nothing = {
      circuitBreakers: undefined,
      eventSinks: undefined,
      sinkErrors: undefined,
      defaults: undefined,
    };
    for (const options of [undefined, {}, nothing]) {
      const app = await start({}, options);
      expect(app.get(ResilienceExecutor).operationNames()).toEqual([]);
    }
  });

  it('a sink class whose instances cannot be told, at start-up', async () => {
    class Empty {}
    await expect(build({}, { eventSinks: [Empty as never] })).rejects.toThrow(
      'ResilienceModule.eventSinks: sinks[0] is an object; give an object with an emit(event) method',
    );
  });
});

describe('the module is imported once', () => {
  const TWICE =
    'ResilienceModule.forRoot is imported more than once; import it in the root module only; it is global';

  it('so a second forRoot stops the application, wherever it stands', async () => {
    @Module({ imports: [ResilienceModule.forRoot({ circuitBreakers: [{ name: 'a' }] })] })
    class FeatureModule {}
    await expect(build({ imports: [FeatureModule] })).rejects.toThrow(TWICE);
    await expect(build({ imports: [ResilienceModule.forRoot()] })).rejects.toThrow(TWICE);
  });

  it('so it is refused without forRoot, and beside it', async () => {
    const bare = Test.createTestingModule({ imports: [ResilienceModule] }).compile();
    await expect(bare).rejects.toThrow(
      'ResilienceModule is imported as it is; import ResilienceModule.forRoot() in the root module',
    );
    await expect(build({ imports: [ResilienceModule] })).rejects.toThrow(TWICE);
  });

  it('and the same registration in two places is one', async () => {
    const registration = ResilienceModule.forRoot();
    @Module({ imports: [registration] })
    class FeatureModule {}
    const app = await Test.createTestingModule({ imports: [registration, FeatureModule] }).compile();
    await app.init();
    expect(app.get(ResilienceExecutor)).toBeInstanceOf(ResilienceExecutor);
    await app.close();
  });
});

describe('the executor is a singleton', () => {
  const CURE =
    'ResilienceExecutor was not made at start-up, so something that it depends on is request-scoped; make the event sinks, what they inject and what an options factory injects singletons';

  it('so a request-scoped sink, or one that depends on something request-scoped, is refused with the cure', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class RequestSink extends InMemoryEventSink {}
    @Injectable({ scope: Scope.REQUEST })
    class Tenant {}
    @Module({ providers: [Tenant], exports: [Tenant] })
    class TenantModule {}
    @Injectable()
    class TenantSink extends InMemoryEventSink {
      constructor(@Inject(Tenant) readonly tenant: Tenant) {
        super();
      }
    }
    await expect(start({}, { eventSinks: [RequestSink] })).rejects.toThrow(CURE);
    await expect(start({}, { eventSinks: [TenantSink], imports: [TenantModule] })).rejects.toThrow(CURE);
  });

  it('and a transient sink is made once for it', async () => {
    let made = 0;
    @Injectable({ scope: Scope.TRANSIENT })
    class TransientSink implements EventSink {
      constructor() {
        made += 1;
      }

      emit(): void {}
    }
    await start({}, { eventSinks: [TransientSink] });
    expect(made).toBe(1);
  });

  // B154
  it('and injecting it leaves a provider static', async () => {
    @Injectable()
    class Job {
      constructor(@Inject(ResilienceExecutor) readonly executor: ResilienceExecutor) {}
    }
    const app = await start(
      { providers: [Job] },
      { eventSinks: [InMemoryEventSink], circuitBreakers: [{ name: 'a' }] },
    );
    expect(app.get(Job).executor).toBe(app.get(ResilienceExecutor));
  });
});
