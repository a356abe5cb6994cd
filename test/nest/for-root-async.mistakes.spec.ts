import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { CircuitBreaker, InMemoryEventSink } from '../../lib/index.js';
import {
  ResilienceModule,
  type ResilienceConfiguration,
  type ResilienceModuleAsyncOptions,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { messageOf, startWith } from './configuration-support.js';

const useFactory = (): ResilienceConfiguration => ({});
class Settings {
  createResilienceOptions(): ResilienceConfiguration {
    return {};
  }
}

describe('forRootAsync refuses at once', () => {
  const SOURCES = 'ResilienceModule.forRootAsync: useFactory, useClass, useExisting are';

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'ResilienceModule.forRootAsync: options is undefined; give an object of options'],
    ['no source of settings', {}, `${SOURCES} all missing; give one of them`],
    ['two of them', { useFactory, useClass: Settings }, `${SOURCES} given together; give one of them`],
    [
      'a factory that is none',
      { useFactory: {} },
      'ResilienceModule.forRootAsync: useFactory is an object; give a function',
    ],
    [
      'a class that is none',
      { useClass: 'Settings' },
      'ResilienceModule.forRootAsync: useClass is a string; give a function',
    ],
    [
      'something to inject into a class',
      { useClass: Settings, inject: [] },
      'ResilienceModule.forRootAsync: inject is given without useFactory; let the class inject what it needs',
    ],
    [
      'something to inject that is no list',
      { useFactory, inject: Settings },
      'ResilienceModule.forRootAsync: inject is a function; give a list',
    ],
    [
      'settings beside the factory',
      { useFactory, defaults: {} },
      'ResilienceModule.forRootAsync: defaults is not an option here; the options are circuitBreakers, shields, concurrencyLimits, eventSinks, exceptionFilter, imports, inject, useFactory, useClass, useExisting',
    ],
    [
      'settings of a breaker beside the factory',
      { useFactory, circuitBreakers: [{ name: 'a' }] },
      'ResilienceModule.forRootAsync: circuitBreakers[0] is an object; give the name alone; the settings come from the options factory',
    ],
    [
      'a blank name of a breaker',
      { useFactory, circuitBreakers: [' '] },
      'ResilienceModule.forRootAsync: circuitBreakers[0] is a blank string; give the name alone; the settings come from the options factory',
    ],
    [
      'a name twice',
      { useFactory, circuitBreakers: ['a', 'b', 'a'] },
      "ResilienceModule.forRootAsync: circuitBreakers[2] 'a' is given twice; give each breaker a name of its own",
    ],
    [
      'sinks that are no list',
      { useFactory, eventSinks: InMemoryEventSink },
      'ResilienceModule.forRootAsync: eventSinks is a function; give a list',
    ],
  ])('%s', (_name, options, message) => {
    const { message: said } = mistakeOf(() =>
      ResilienceModule.forRootAsync(options as ResilienceModuleAsyncOptions),
    );
    expect(said).toBe(message);
  });
});

/** What an application says that is given these settings. */
function told(given: unknown, circuitBreakers: readonly string[] = []): Promise<string> {
  const root = ResilienceModule.forRootAsync({
    circuitBreakers,
    useFactory: async () => given as ResilienceConfiguration,
  });
  return messageOf(startWith(root));
}

describe('an application does not start whose factory gives', () => {
  it.each<[string, unknown, string]>([
    [
      'nothing',
      undefined,
      'ResilienceModule.forRootAsync: options is undefined; let the options factory give an object of options',
    ],
    [
      'a list',
      [],
      'ResilienceModule.forRootAsync: options is an empty list; let the options factory give an object of options',
    ],
    [
      'a misspelt option',
      { default: {} },
      'ResilienceModule.forRootAsync: default is not an option here; did you mean defaults?',
    ],
    [
      'event sinks, too late',
      { eventSinks: [] },
      'ResilienceModule.forRootAsync: eventSinks is an empty list; give it to forRootAsync itself, beside the options factory',
    ],
    [
      'the exception filter, too late',
      { exceptionFilter: true },
      'ResilienceModule.forRootAsync: exceptionFilter is true; give it to forRootAsync itself, beside the options factory',
    ],
    [
      'a default that means nothing',
      { defaults: { timeout: '10' } },
      "ResilienceModule.defaults: timeout is a string; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [
      'defaults that nobody awaited',
      { defaults: Promise.resolve({ timeout: '1s' }) },
      'ResilienceModule.defaults: options is a promise; give an object of options',
    ],
    [
      'an operation that means nothing',
      { operations: { 'A.b': { retries: '-1' } } },
      "ResilienceModule.operations['A.b']: retries is a string; give a whole number, 0 or more",
    ],
    [
      'a warning to silence that is none',
      { silenceWarnings: ['retries'] },
      'ResilienceModule.forRootAsync: silenceWarnings[0] is a string; give one of retries-without-retry-on, duration-in-milliseconds',
    ],
    [
      'sinkErrors that are none',
      { sinkErrors: 'ignore' },
      "ResilienceModule.forRootAsync: sinkErrors is a string; give 'isolate' or 'propagate'",
    ],
  ])('%s', async (_name, given, message) => {
    expect((await told(given)).slice(0, message.length)).toBe(message);
  });

  it.each<[string, unknown, string]>([
    [
      'no settings for a breaker that is named',
      {},
      "ResilienceModule.circuitBreakers['payments']: circuitBreaker is named and has no settings; let the options factory give its settings, {} for the defaults",
    ],
    [
      'undefined settings for it',
      { payments: undefined },
      "ResilienceModule.circuitBreakers['payments']: circuitBreaker is named and has no settings",
    ],
    [
      'null for it',
      { payments: null },
      "ResilienceModule.circuitBreakers['payments']: circuitBreaker is null; give an object of options",
    ],
    [
      'settings for a misspelt name',
      { paymnts: {} },
      "ResilienceModule.forRootAsync: circuitBreakers['paymnts'] is no circuit breaker that forRootAsync names; did you mean 'payments'?",
    ],
    [
      'settings for a name too many',
      { payments: {}, database: {} },
      "ResilienceModule.forRootAsync: circuitBreakers['database'] is no circuit breaker that forRootAsync names; name it there: circuitBreakers: ['database'], or leave its settings out",
    ],
    [
      'a list',
      [{ name: 'payments' }],
      'ResilienceModule.forRootAsync: circuitBreakers is a list; give an object whose keys are the names',
    ],
    [
      'settings that cannot work',
      { payments: { failureThreshold: '0' } },
      "ResilienceModule.circuitBreakers['payments']: failureThreshold of circuit breaker 'payments' is the number 0; give a whole number, 1 or more",
    ],
    [
      'a misspelt setting',
      { payments: { recoverTimeout: 1 } },
      "ResilienceModule.circuitBreakers['payments']: recoverTimeout is not an option here; did you mean recoveryTimeout?",
    ],
    [
      'a breaker of another name',
      { payments: new CircuitBreaker({ name: 'billing' }) },
      "ResilienceModule.circuitBreakers['payments']: circuitBreaker is a breaker that is named 'billing'; give both the same name",
    ],
  ])('%s', async (_name, given, message) => {
    expect((await told({ circuitBreakers: given }, ['payments'])).slice(0, message.length)).toBe(message);
  });

  it('nothing that it was not asked for: undefined is not given', async () => {
    const given = {
      defaults: undefined,
      operations: undefined,
      circuitBreakers: { payments: {}, old: undefined },
    };
    expect(await told(given, ['payments'])).toBe('it started');
  });
});

describe('an application does not start whose factory fails, and says what the factory says', () => {
  class MissingSecretError extends Error {}

  it.each<[string, () => ResilienceConfiguration | Promise<ResilienceConfiguration>]>([
    [
      'at once',
      () => {
        throw new MissingSecretError('vault is sealed');
      },
    ],
    ['later', () => Promise.reject(new MissingSecretError('vault is sealed'))],
  ])('%s', async (_name, failing) => {
    const starting = startWith(ResilienceModule.forRootAsync({ useFactory: failing }));
    const error: unknown = await starting.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MissingSecretError);
    expect((error as Error).message).toBe('vault is sealed');
  });

  it('and what is missing where something is no factory at all', async () => {
    @Injectable()
    class NoFactory {}
    const root = ResilienceModule.forRootAsync({ useClass: NoFactory as typeof Settings });
    expect(await messageOf(startWith(root))).toBe(
      'ResilienceModule.forRootAsync: createResilienceOptions is undefined; give a function',
    );
  });
});
