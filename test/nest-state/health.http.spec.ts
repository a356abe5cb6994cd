import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { CircuitBreakerRegistry } from '../../lib/index.js';
import { CircuitBreakerHealthIndicator } from '../../nest-module/index.js';
import { serve } from '../nest/support.js';
import { circuitBreakers } from './support.js';

@Controller('health')
class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(CircuitBreakerHealthIndicator) private readonly indicator: CircuitBreakerHealthIndicator,
  ) {}

  @Get('payments')
  @HealthCheck()
  payments() {
    return this.health.check([() => this.indicator.isHealthy('payments')]);
  }

  @Get('all')
  @HealthCheck()
  all() {
    const memory = () => ({ memory: { status: 'up' as const } });
    return this.health.check([memory, async () => this.indicator.isHealthy()]);
  }

  @Get('misspelt')
  @HealthCheck()
  misspelt() {
    return this.health.check([() => this.indicator.isHealthy('payment')]);
  }
}

async function scene() {
  const { app, ask } = await serve(
    { imports: [TerminusModule.forRoot({ logger: false })], controllers: [HealthController] },
    { circuitBreakers },
  );
  const payments = app.get(CircuitBreakerRegistry).get('payments');
  const health = async (path: string) => {
    const { status, text } = await ask(`/health/${path}`);
    return { status, body: JSON.parse(text) as unknown };
  };
  return { payments, health };
}

const up = { status: 'up', state: 'closed' };

describe('a health check of @nestjs/terminus over HTTP', () => {
  it('answers 200 while a circuit breaker is closed and 503 while it is open', async () => {
    const { payments, health } = await scene();
    expect(await health('payments')).toEqual({
      status: 200,
      body: { status: 'ok', info: { payments: up }, error: {}, details: { payments: up } },
    });
    payments.forceOpen('maintenance');
    const down = { status: 'down', state: 'forced_open' };
    expect(await health('payments')).toEqual({
      status: 503,
      body: { status: 'error', info: {}, error: { payments: down }, details: { payments: down } },
    });
    payments.reset();
    expect((await health('payments')).status).toBe(200);
  });

  it('shows all circuit breakers beside its other indicators', async () => {
    const { payments, health } = await scene();
    for (let call = 0; call < 2; call += 1)
      await payments.run(() => Promise.reject(new Error('down'))).catch(() => undefined);
    const open = { status: 'down', state: 'open', retry_after_seconds: expect.any(Number) };
    const fine = { memory: { status: 'up' }, ledger: up };
    expect(await health('all')).toEqual({
      status: 503,
      body: { status: 'error', info: fine, error: { payments: open }, details: { ...fine, payments: open } },
    });
  });

  it('does not take a misspelt name for an outage', async () => {
    const { health } = await scene();
    expect((await health('misspelt')).status).toBe(500);
  });
});
