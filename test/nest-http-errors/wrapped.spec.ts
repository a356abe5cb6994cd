import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  HttpException,
  Inject,
  Injectable,
  NotFoundException,
  UseFilters,
} from '@nestjs/common';
import { CircuitBreakerOpenError, fallbackChain, Resilient, type OperationResult } from '../../lib/index.js';
import { ResilienceExceptionFilter, ResilienceExecutor } from '../../nest-module/index.js';
import { LIMITED, OPEN, PLATFORMS, problem, serveOn } from './support.js';

const asExecutionError = { throws: 'execution-error' } as const;
const inOneMinute = 'Thu, 01 Jan 2026 00:01:00 GMT';
const date = 'Thu, 01 Jan 2026 00:00:00 GMT';

@Injectable()
class OrdersClient {
  @Resilient(asExecutionError)
  async gone(): Promise<string> {
    throw new NotFoundException({ reason: 'no such order', hint: 'look in the archive' });
  }

  @Resilient(asExecutionError)
  async teapot(): Promise<string> {
    throw new HttpException('short and stout', 418);
  }

  @Resilient()
  async plain(): Promise<string> {
    throw new NotFoundException('no such order');
  }

  @Resilient(asExecutionError)
  async limited(): Promise<string> {
    const headers = { date, 'Retry-After': inOneMinute };
    throw Object.assign(new Error('slow down'), { response: { status: 429, headers } });
  }

  @Resilient({ fallbacks: fallbackChain(['cache', () => Promise.reject(new Error('cold'))]) })
  async chained(): Promise<string> {
    throw new CircuitBreakerOpenError('stock', 'open', 7);
  }

  @Resilient(asExecutionError)
  async reset(): Promise<string> {
    throw Object.assign(new Error('connection reset'), { statusCode: 404, secret: 'x' });
  }
}

@Controller()
@UseFilters(ResilienceExceptionFilter)
class OrdersController {
  constructor(
    @Inject(OrdersClient) private readonly client: OrdersClient,
    @Inject(ResilienceExecutor) private readonly executor: ResilienceExecutor,
  ) {}

  @Get('gone')
  async gone(): Promise<string> {
    return this.client.gone();
  }

  @Get('teapot')
  async teapot(): Promise<string> {
    return this.client.teapot();
  }

  @Get('plain')
  async plain(): Promise<string> {
    return this.client.plain();
  }

  @Get('plain-result')
  async result(): Promise<OperationResult<string>> {
    return this.executor.run(this.client, 'plain');
  }

  @Get('limited')
  async limited(): Promise<string> {
    return this.client.limited();
  }

  @Get('chained')
  async chained(): Promise<string> {
    return this.client.chained();
  }

  @Get('reset')
  async reset(): Promise<string> {
    return this.client.reset();
  }
}

const site = { controllers: [OrdersController], providers: [OrdersClient] };

describe.each(PLATFORMS)('on %s', (platform) => {
  it('an HttpException inside keeps its status and its body, and is not logged', async () => {
    const { ask, logged } = await serveOn(platform, site);
    expect(await ask('/gone')).toMatchObject({
      status: 404,
      type: 'application/json',
      body: { reason: 'no such order', hint: 'look in the archive' },
    });
    expect(await ask('/teapot')).toMatchObject({
      status: 418,
      body: { statusCode: 418, message: 'short and stout' },
    });
    expect(logged).toEqual([]);
  });

  it('the result form and the method itself are answered alike', async () => {
    const { ask } = await serveOn(platform, site);
    const reply = await ask('/plain');
    expect(reply.status).toBe(404);
    expect(await ask('/plain-result')).toEqual(reply);
  });

  it('a rate limit of the upstream is passed on, measured by its own clock', async () => {
    const { ask } = await serveOn(platform, site);
    expect(await ask('/limited')).toMatchObject(problem(...LIMITED, '60'));
  });

  it('a chain of fallbacks is answered by why it was needed', async () => {
    const { ask } = await serveOn(platform, site);
    expect(await ask('/chained')).toMatchObject(problem(...OPEN, '7'));
  });

  it('an error of somebody else inside is a 500 without its words, and logged', async () => {
    const { ask, logged } = await serveOn(platform, site);
    expect(await ask('/reset')).toMatchObject({
      status: 500,
      type: 'application/json',
      body: { statusCode: 500, message: 'Internal server error' },
    });
    expect(logged).toEqual([expect.objectContaining({ code: 'RELPRIM_OPERATION_FAILED' })]);
  });
});
