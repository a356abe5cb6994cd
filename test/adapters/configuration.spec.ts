import { describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { plainToInstance, Type } from 'class-transformer';
import { validateSync, ValidateNested } from 'class-validator';
import { CircuitBreakerConfiguration, PolicyConfiguration } from '../../lib/adapters/class-validator.js';
import { CircuitBreaker, type MethodOptions } from '../../lib/index.js';
import { checkMethodOptions } from '../../lib/decorator/check-method-options.js';
import { fromConfiguration } from '../../lib/operation/configuration.js';
import { circuitBreakers } from '../../nest-module/named/circuit-breakers.js';
import { mistakeOf } from '../support/mistake-of.js';

/** What an application checks when it starts. */
class AppConfiguration {
  @ValidateNested()
  @Type(() => PolicyConfiguration)
  charge!: PolicyConfiguration;

  @ValidateNested()
  @Type(() => CircuitBreakerConfiguration)
  payments!: CircuitBreakerConfiguration;
}

/** Where the configuration is wrong and what is said of it. */
function mistakesIn(plain: object): Record<string, string> {
  const errors = validateSync(plainToInstance(AppConfiguration, plain), {
    whitelist: true,
    forbidNonWhitelisted: true,
  });
  return Object.fromEntries(
    errors.flatMap(({ property, children = [] }) =>
      children.map((child) => [
        `${property}.${child.property}`,
        Object.values(child.constraints ?? {}).join(),
      ]),
    ),
  );
}

const VALUES = [
  ...[
    0,
    1,
    3,
    -1,
    1.5,
    NaN,
    Infinity,
    '',
    ' ',
    '3',
    '10s',
    '250ms',
    'soon',
    'false',
    'true',
    true,
    false,
    null,
  ],
  ...[
    {},
    [],
    { baseDelay: '100ms', jitter: false },
    { baseDelay: 5, maxDelay: 1 },
    { multiplyer: 2 },
    'payments',
    'original',
    'execution-error',
  ],
];
const OPTIONS = [
  'use',
  'retries',
  'backoff',
  'timeout',
  'deadline',
  'circuitBreaker',
  'fallback',
  'maxRateLimitWait',
  'idempotent',
  'throws',
  'retry',
  'fallbacks',
  'rateLimit',
  'validate',
  'validation',
] as const;

describe('configuration classes', () => {
  it('accept what options accept, and nothing at all', () => {
    const charge = {
      retries: 3,
      backoff: { baseDelay: '100ms', maxDelay: 5, multiplier: 2, jitter: true },
      timeout: '10s',
      deadline: 30,
      circuitBreaker: 'payments',
      fallback: 'queueForLater',
      maxRateLimitWait: '30s',
      idempotent: false,
      use: 'upstream',
      throws: 'execution-error',
    };
    const payments = { failureThreshold: 3, recoveryTimeout: '30s' };
    expect(mistakesIn({ charge, payments })).toEqual({});
    expect(mistakesIn({ charge: {}, payments: {} })).toEqual({});
    const absent = Object.fromEntries(OPTIONS.map((option) => [option, undefined]));
    expect(mistakesIn({ charge: absent, payments: { failureThreshold: undefined } })).toEqual({});
  });

  it('accept text, as the environment gives it, and false, which switches off', () => {
    const charge = {
      retries: '3',
      idempotent: 'false',
      use: 'false',
      maxRateLimitWait: 0,
      timeout: false,
      circuitBreaker: false,
      fallback: false,
      retry: false,
      fallbacks: 'false',
      rateLimit: 'false',
      validate: false,
    };
    expect(mistakesIn({ charge, payments: { failureThreshold: '3', recoveryTimeout: '1m' } })).toEqual({});
  });

  it('say what is wrong in the words of the options, at its place', () => {
    const charge = { retries: -1, timeout: 'soon', backoff: { baseDelay: 5, maxDelay: 1 } };
    expect(mistakesIn({ charge, payments: { failureThreshold: 0, recoveryTimeout: 'x' } })).toEqual({
      'charge.retries': 'retries is the number -1; give a whole number, 0 or more',
      'charge.timeout':
        "timeout is a string; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
      'charge.backoff': 'baseDelay is 5 s, above maxDelay (1 s); lower it, or raise maxDelay',
      'payments.failureThreshold': 'failureThreshold is the number 0; give a whole number, 1 or more',
      'payments.recoveryTimeout':
        "recoveryTimeout is a string; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    });
  });

  it.each(OPTIONS)('judge %s as the option is judged, whatever the value', (option) => {
    for (const value of VALUES) {
      let wanted: Record<string, string> = {};
      try {
        checkMethodOptions(fromConfiguration<MethodOptions>({ [option]: value }));
      } catch (error) {
        wanted = { [`charge.${option}`]: (error as Error).message };
      }
      expect([value, mistakesIn({ charge: { [option]: value }, payments: {} })]).toEqual([value, wanted]);
    }
  });

  it('judge a circuit breaker as it judges itself', () => {
    for (const option of ['failureThreshold', 'recoveryTimeout'] as const) {
      for (const value of [0, -1, NaN, 'x', null, true, {}]) {
        const own = mistakeOf(() => new CircuitBreaker({ [option]: value }));
        expect(mistakesIn({ charge: {}, payments: { [option]: value } })[`payments.${option}`]).toContain(
          own.cure,
        );
      }
    }
  });

  describe('of the settings of a circuit breaker that have parts', () => {
    const SETTINGS = {
      budget: [
        { limit: 1_000, per: '1m' },
        { limit: '99.5', per: 60 },
        { limit: 0, per: '1m' },
        { limit: 'many', per: '1m' },
        { limit: 5 },
        { per: '1m' },
        { limit: 5, per: 'soon' },
        { limit: 5, per: '1m', cost: 'tokens' },
        { limit: 5, per: '1m', most: 5 },
        5,
        null,
      ],
      recoveryTimeout: [
        { initial: '5s', max: '5m' },
        { initial: 5, factor: '1.5', max: 300, jitter: '0.2' },
        { initial: '5s' },
        { initial: '5m', max: '5s' },
        { initial: '5s', factor: 0.5, max: '5m' },
        { initial: '5s', max: '5m', jitter: 2 },
        { initial: '5s', max: '5m', growth: 2 },
        [],
      ],
      probes: [
        {},
        { concurrent: 3, successes: '5', lease: '10s' },
        { concurrent: 'Infinity' },
        { concurrent: 0 },
        { successes: 'all' },
        { lease: 0 },
        { most: 1 },
        true,
      ],
    };

    it.each(Object.entries(SETTINGS))('judge %s as the module does', (option, values) => {
      const verdicts = values.map((value) => {
        let wanted: Record<string, string> = {};
        try {
          circuitBreakers.make({ name: 'default', [option]: value });
        } catch (error) {
          // The class does not know which breaker it is about.
          const message = (error as Error).message.replace("of circuit breaker 'default' ", '');
          wanted = { [`payments.${option}`]: message };
        }
        expect([value, mistakesIn({ charge: {}, payments: { [option]: value } })]).toEqual([value, wanted]);
        return Object.keys(wanted).length === 0;
      });
      expect(new Set(verdicts).size).toBe(2);
    });
  });

  it('let no unknown option pass where the application forbids them', () => {
    expect(mistakesIn({ charge: { retrys: 3 }, payments: {} })).toEqual({
      'charge.retrys': 'property retrys should not exist',
    });
  });
});
