import 'reflect-metadata';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { plainToInstance, Type } from 'class-transformer';
import { validateSync, ValidateNested } from 'class-validator';
import { CircuitBreakerConfiguration, PolicyConfiguration } from '../../lib/adapters/class-validator.js';
import { CircuitBreakerRegistry, isRetryableHttp, Resilient } from '../../lib/index.js';
import { ResilienceExecutor, ResilienceModule } from '../../nest-module/index.js';
import { messageOf, startWith } from './configuration-support.js';

/** The part of an application's configuration that is about resilience. */
class Configuration {
  @ValidateNested()
  @Type(() => CircuitBreakerConfiguration)
  payments!: CircuitBreakerConfiguration;

  @ValidateNested()
  @Type(() => PolicyConfiguration)
  charge!: PolicyConfiguration;
}

function validate(env: Record<string, unknown>): Configuration {
  const configuration = plainToInstance(Configuration, {
    payments: { failureThreshold: env['PAYMENTS_THRESHOLD'], recoveryTimeout: env['PAYMENTS_RECOVERY'] },
    charge: { retries: env['CHARGE_RETRIES'], timeout: env['CHARGE_TIMEOUT'], use: env['CHARGE_POLICY'] },
  });
  const rules = { whitelist: true, forbidNonWhitelisted: true };
  const errors = validateSync(configuration, rules).flatMap(({ children = [] }) => children);
  if (errors.length > 0)
    throw new Error(errors.map(({ constraints }) => constraints?.['relprim']).join('\n'));
  return configuration;
}

@Injectable()
class PaymentsClient {
  @Resilient({ retries: 1, retryOn: isRetryableHttp, circuitBreaker: 'payments' })
  async charge(): Promise<void> {}
}

const VARIABLES = [
  'PAYMENTS_THRESHOLD',
  'PAYMENTS_RECOVERY',
  'CHARGE_RETRIES',
  'CHARGE_TIMEOUT',
  'CHARGE_POLICY',
];

/** An application with these environment variables, checked first by class-validator, unless it is left out. */
async function application(env: Record<string, string>, checks: (env: object) => object = validate as never) {
  Object.assign(process.env, env);
  const root = ResilienceModule.forRootAsync({
    imports: [ConfigModule.forRoot({ ignoreEnvFile: true, validate: checks as typeof validate })],
    circuitBreakers: ['payments'],
    inject: [ConfigService],
    useFactory: (config: ConfigService<Configuration, true>) => ({
      circuitBreakers: { payments: config.get('payments') },
      operations: { 'PaymentsClient.charge': config.get('charge') },
    }),
  });
  return startWith(root, { providers: [PaymentsClient] });
}

afterEach(() => {
  for (const variable of VARIABLES) delete process.env[variable];
});

describe('configuration that class-validator has checked', () => {
  it('is handed over as it is: instances of its classes, whose missing variables are undefined', async () => {
    const app = await application({ CHARGE_RETRIES: '4', PAYMENTS_RECOVERY: '1m' });
    expect(app.get(ResilienceExecutor).descriptionOf('PaymentsClient.charge').summary).toBe(
      "PaymentsClient.charge: up to 5 attempts (0.1 s × 2, at most 10 s, full jitter) > circuit breaker 'payments' > method",
    );
    expect(app.get(CircuitBreakerRegistry).get('payments')).toMatchObject({
      failureThreshold: 5,
      recoveryTimeoutSeconds: 60,
    });
  });

  it('stops the application where it is wrong, with the words of this library', async () => {
    const wrong = { CHARGE_RETRIES: '', CHARGE_TIMEOUT: '10', PAYMENTS_THRESHOLD: '0' };
    expect((await messageOf(application(wrong))).split('\n')).toEqual([
      'failureThreshold is the number 0; give a whole number, 1 or more',
      'retries is a blank string; give a whole number, 0 or more',
      "timeout is a string; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    ]);
  });

  it('is checked again for what it alone cannot know: the names of the application', async () => {
    expect(await messageOf(application({ CHARGE_POLICY: 'upstream' }))).toBe(
      "PaymentsClient.charge: use 'upstream' is no policy of the module; add it: policies: { 'upstream': { … } }",
    );
  });

  it('is checked all the same where nobody asked class-validator', async () => {
    const unchecked = (env: Record<string, unknown>) => ({
      payments: {},
      charge: { retries: env['CHARGE_RETRIES'] },
    });
    expect(await messageOf(application({ CHARGE_RETRIES: 'many' }, unchecked as never))).toBe(
      "ResilienceModule.operations['PaymentsClient.charge']: retries is a string; give a whole number, 0 or more",
    );
  });
});
