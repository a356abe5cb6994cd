import { describe, expect, it } from '@jest/globals';
import {
  BadRequestException,
  Body,
  Catch,
  Controller,
  Get,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Res,
  UseFilters,
  type ArgumentsHost,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter } from '@nestjs/core';
import {
  CircuitBreakerOpenError,
  ConfigurationError,
  MisuseError,
  OperationTimeoutError,
} from '../../lib/index.js';
import { ResilienceExceptionFilter } from '../../nest-module/index.js';
import { OPEN, PLATFORMS, problem, serveOn, TIMEOUT, type Platform } from './support.js';

const open = () => new CircuitBreakerOpenError('stock', 'open', 7);

const thrown: Record<string, () => unknown> = {
  error: () => new Error('broken'),
  http: () => new BadRequestException(['name must be a text']),
  http5: () => Object.assign(new Error('gone'), { statusCode: 410, status: 410, expose: true }),
  text: () => 'text',
  nothing: () => undefined,
  frozen: () => Object.freeze({ code: 'RELPRIM_TIMEOUT', name: 'OperationTimeoutError' }),
  misuse: () => new MisuseError('after an await'),
  configuration: () => new ConfigurationError({ option: 'a', problem: 'is b', cure: 'give c' }),
};

@Controller()
class ShopController {
  @Get('throw/:kind')
  async fail(@Param('kind') kind: string): Promise<string> {
    throw thrown[kind]?.();
  }

  @Get('open')
  async open(): Promise<string> {
    throw open();
  }

  @Get('late')
  async late(): Promise<string> {
    throw new OperationTimeoutError(1);
  }

  @Get('number/:id')
  async number(@Param('id', ParseIntPipe) id: number): Promise<string> {
    return String(id);
  }

  @Post('echo')
  async echo(@Body() body: object): Promise<object> {
    return body;
  }

  @Get('begun')
  async begun(@Res({ passthrough: true }) response: { raw?: NodeJS.WritableStream }): Promise<void> {
    (response.raw ?? (response as NodeJS.WritableStream)).write('begun');
    throw open();
  }
}

@Module({ providers: [{ provide: APP_FILTER, useClass: ResilienceExceptionFilter }] })
class WithFilter {}

function serve(platform: Platform, imports: Type[], adapt?: (app: INestApplication) => void) {
  return serveOn(platform, { controllers: [ShopController], imports }, {}, adapt);
}

type Request = readonly [path: string, init?: RequestInit];

const plainRequests: readonly Request[] = [
  ...Object.keys(thrown).map((kind): Request => [`/throw/${kind}`]),
  ['/number/seven'],
  ['/nowhere'],
  ['/echo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"broken' }],
];

/** What clients get and what Nest logs. */
async function answers(platform: Platform, imports: Type[], requests: readonly Request[]) {
  const { ask, logged } = await serve(platform, imports);
  const replies = [];
  for (const request of requests) replies.push(await ask(...request));
  return { replies, logged: logged.map(String) };
}

/** Marks what it answers. */
class MarkingFilter extends BaseExceptionFilter {
  override catch(_error: unknown, host: ArgumentsHost): void {
    const platform = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
    platform?.reply(host.getArgByIndex(1), this.constructor.name, 418);
  }
}

@Catch()
class EverythingFilter extends MarkingFilter {}

@Catch(CircuitBreakerOpenError)
class OpenFilter extends MarkingFilter {}

@Controller('own')
@UseFilters(OpenFilter)
class OwnController {
  @Get('open')
  async open(): Promise<string> {
    throw open();
  }

  @Get('late')
  async late(): Promise<string> {
    throw new OperationTimeoutError(1);
  }
}

// Not on Fastify: Nest 11 leaves such an answer open there, with or without us.
it('on Express an answer that has begun is ended, as without the filter', async () => {
  const bare = await answers('Express', [], [['/begun']]);
  expect(bare.replies).toMatchObject([{ status: 200, retryAfter: null, body: 'begun' }]);
  expect(bare.logged).toEqual([String(open())]);
  expect(await answers('Express', [WithFilter], [['/begun']])).toEqual(bare);
});

describe.each(PLATFORMS)('on %s', (platform) => {
  it('every other error is answered and logged as without the filter', async () => {
    const bare = await answers(platform, [], plainRequests);
    expect(bare.logged).toHaveLength(7);
    expect(await answers(platform, [WithFilter], plainRequests)).toEqual(bare);
  });

  it('a filter of the application on a controller goes before, for what it is for', async () => {
    const { ask } = await serveOn(platform, { controllers: [OwnController], imports: [WithFilter] });
    expect(await ask('/own/open')).toMatchObject({ status: 418, body: 'OpenFilter' });
    expect(await ask('/own/late')).toMatchObject(problem(...TIMEOUT));
  });

  it('a filter of useGlobalFilters goes before, a catch-all one too', async () => {
    const { ask } = await serve(platform, [WithFilter], (app) =>
      app.useGlobalFilters(new EverythingFilter(app.getHttpAdapter())),
    );
    expect(await ask('/throw/error')).toMatchObject({ status: 418, body: 'EverythingFilter' });
    expect(await ask('/open')).toMatchObject({ status: 418, body: 'EverythingFilter' });
  });

  it('a catch-all APP_FILTER keeps all errors but ours', async () => {
    const { ask } = await serveOn(platform, {
      controllers: [ShopController],
      imports: [WithFilter],
      providers: [{ provide: APP_FILTER, useClass: EverythingFilter }],
    });
    expect(await ask('/throw/error')).toMatchObject({ status: 418, body: 'EverythingFilter' });
    expect(await ask('/open')).toMatchObject(problem(...OPEN, '7'));
  });

  it('an APP_FILTER that follows ours in one list goes before it', async () => {
    const { ask } = await serveOn(platform, {
      controllers: [ShopController],
      providers: [ResilienceExceptionFilter, OpenFilter].map((useClass) => ({
        provide: APP_FILTER,
        useClass,
      })),
    });
    expect(await ask('/open')).toMatchObject({ status: 418, body: 'OpenFilter' });
    expect(await ask('/late')).toMatchObject(problem(...TIMEOUT));
  });
});
