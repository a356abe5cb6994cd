import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Inject, Param, UseFilters } from '@nestjs/common';
import { CircuitBreakerOpenError, Resilient, ResilienceShutdownError } from '../../lib/index.js';
import { ResilienceExceptionFilter } from '../../nest-module/index.js';
import { errorOfOurs, OPEN, PLATFORMS, problem, serveOn, TIMEOUT } from './support.js';

@Injectable()
class StockClient {
  @Resilient({ circuitBreaker: 'stock' })
  async down(): Promise<string> {
    throw new Error('connection refused');
  }

  @Resilient({ timeout: '2ms' })
  async slow(): Promise<string> {
    return new Promise(() => {});
  }

  @Resilient({ deadline: '2ms' })
  async late(): Promise<string> {
    return new Promise(() => {});
  }

  @Resilient({ validate: (value: unknown) => value === 'good' })
  async odd(): Promise<string> {
    return 'odd';
  }
}

const standIns: Record<string, () => Error> = {
  'half-open': () => new CircuitBreakerOpenError('stock', 'half_open', null),
  shutdown: () => new ResilienceShutdownError('StockClient.down', new Error('connection refused')),
  conflict: () => errorOfOurs('RELPRIM_IDEMPOTENCY_CONFLICT'),
  'in-flight': () => errorOfOurs('RELPRIM_IDEMPOTENCY_IN_FLIGHT'),
};

@Controller()
@UseFilters(ResilienceExceptionFilter)
class StockController {
  constructor(@Inject(StockClient) private readonly client: StockClient) {}

  @Get('stock/:method')
  async call(@Param('method') method: 'down' | 'slow' | 'late' | 'odd'): Promise<string> {
    return this.client[method]();
  }

  @Get('error/:kind')
  async fail(@Param('kind') kind: string): Promise<string> {
    throw standIns[kind]?.() ?? new Error('no such kind');
  }
}

@Controller('plain')
class PlainController {
  @Get()
  async fail(): Promise<string> {
    throw new CircuitBreakerOpenError('stock', 'open', 6.5);
  }
}

const site = { controllers: [StockController], providers: [StockClient] };
const breakers = {
  circuitBreakers: [{ name: 'stock', failureThreshold: 1, recoveryTimeout: '30s' as const }],
};

describe.each(PLATFORMS)('on %s the exception filter answers', (platform) => {
  it('an open circuit breaker with 503 and when to come back', async () => {
    const { ask, logged } = await serveOn(platform, site, breakers);
    expect(await ask('/stock/down')).toMatchObject({
      status: 500,
      type: 'application/json',
      retryAfter: null,
    });
    expect(logged).toHaveLength(1);
    expect(await ask('/stock/down')).toMatchObject(problem(...OPEN, '30'));
    expect(logged).toHaveLength(1); // what it answers itself is no error of this server
  });

  it.each([
    ['a timeout', '/stock/slow', problem(...TIMEOUT)],
    ['a deadline', '/stock/late', problem(...TIMEOUT)],
    [
      'a rejected value',
      '/stock/odd',
      problem(502, 'RELPRIM_VALIDATION_FAILED', 'A service that is needed here gave an answer of no use'),
    ],
    ['a breaker whose probes are taken', '/error/half-open', problem(...OPEN)],
    ['a shutdown', '/error/shutdown', problem(503, 'RELPRIM_SHUTDOWN', 'The server is shutting down')],
    [
      'an idempotency conflict',
      '/error/conflict',
      problem(422, 'RELPRIM_IDEMPOTENCY_CONFLICT', 'The idempotency key belongs to another request'),
    ],
    [
      'a key in flight',
      '/error/in-flight',
      problem(409, 'RELPRIM_IDEMPOTENCY_IN_FLIGHT', 'A request with this idempotency key is being processed'),
    ],
  ])('%s', async (_what, path, expected) => {
    const { ask, logged } = await serveOn(platform, site, breakers);
    const reply = await ask(path);
    expect(reply).toMatchObject(expected);
    expect(Object.keys(reply.body as object)).toEqual(['type', 'title', 'status', 'code']);
    expect(logged).toEqual([]);
  });

  it('for a whole application that asks for it', async () => {
    const { ask } = await serveOn(platform, { controllers: [PlainController] }, { exceptionFilter: true });
    expect(await ask('/plain')).toMatchObject(problem(...OPEN, '7'));
    const other = await serveOn(platform, { controllers: [PlainController] });
    expect(await other.ask('/plain')).toMatchObject({ status: 500, type: 'application/json' });
  });

  it('HEAD with the same status and headers, and no body', async () => {
    const { ask } = await serveOn(platform, site, breakers);
    await ask('/stock/down');
    expect(await ask('/stock/down', { method: 'HEAD' })).toMatchObject({
      status: 503,
      type: 'application/problem+json',
      retryAfter: '30',
      body: '',
    });
  });
});
