import { describe, expect, it } from '@jest/globals';
import {
  applyDecorators,
  BadRequestException,
  Body,
  Catch,
  Controller,
  createParamDecorator,
  DefaultValuePipe,
  Get,
  Headers,
  Injectable,
  Ip,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Req,
  UseFilters,
  UsePipes,
  ValidationPipe,
  Version,
  VersioningType,
  type ArgumentMetadata,
  type ArgumentsHost,
  type ExceptionFilter,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { IsInt, IsString, Min } from 'class-validator';
import { Resilient } from '../../lib/index.js';
import { PLATFORMS, serve } from './support.js';

class OrderDto {
  @IsString()
  name!: string;

  @IsInt()
  @Min(1)
  amount!: number;
}

const Role = createParamDecorator((header: string, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers[header];
});

/** Notes what Nest knows of each parameter. */
@Injectable()
class TypesPipe implements PipeTransform {
  static seen: unknown[] = [];

  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    TypesPipe.seen.push([type, metatype?.name, data]);
    return value;
  }
}

@Catch(BadRequestException)
class TeapotFilter implements ExceptionFilter {
  catch(_error: Error, host: ArgumentsHost): void {
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(text: string): void } }>();
    response.status(418).send('filtered');
  }
}

const CASES = PLATFORMS.flatMap((platform) => [['above', platform] as const, ['below', platform] as const]);

// B149
describe.each(CASES)('with @Resilient %s, on %s, a handler', (place, platform) => {
  const both = (...others: MethodDecorator[]): MethodDecorator => {
    const ours = Resilient({ retries: 1, backoff: { delayForRetry: () => 0 } });
    return place === 'above' ? applyDecorators(ours, ...others) : applyDecorators(...others, ours);
  };

  @Controller()
  class OrdersController {
    private tries = 0;

    @both(Post('orders'), UsePipes(new ValidationPipe({ transform: true, whitelist: true })))
    async create(@Body() order: OrderDto): Promise<unknown> {
      this.fail();
      return { isDto: order instanceof OrderDto, ...order };
    }

    @both(Post('filtered'), UsePipes(ValidationPipe), UseFilters(TeapotFilter))
    async filtered(@Body() _order: OrderDto): Promise<void> {}

    @both(Get('of/:id'))
    async all(
      @Param('id', ParseIntPipe) id: number,
      @Query('page', new DefaultValuePipe(7), ParseIntPipe) page: number,
      @Role('x-role') role: string,
      @Headers('x-other') other: string,
      @Ip() ip: string,
      @Req() request: { url: string },
    ): Promise<unknown> {
      this.fail();
      return [id, page, role, other, ip, request.url];
    }

    @both(Get('types/:id'), UsePipes(TypesPipe))
    async types(
      @Param('id') _id: string,
      @Query('on') _on: boolean,
      @Body() _order: OrderDto,
    ): Promise<void> {}

    @both(Get('version'), Version('2'))
    async second(): Promise<string> {
      this.fail();
      return 'second';
    }

    private fail(): void {
      this.tries += 1;
      if (this.tries % 2 === 1) throw new Error('not yet');
    }
  }

  const served = (adapt?: Parameters<typeof serve>[2]) =>
    serve({ controllers: [OrdersController] }, {}, adapt, platform);
  const post = (body: object): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

  it('gets its body as an instance of the class that its type names, checked by the validation pipe', async () => {
    const { ask } = await served();
    const good = await ask('/orders', post({ name: 'tea', amount: 2, extra: true }));
    expect([good.status, JSON.parse(good.text)]).toEqual([201, { isDto: true, name: 'tea', amount: 2 }]);
    const bad = await ask('/orders', post({ name: 'tea', amount: 0 }));
    expect([bad.status, bad.text]).toEqual([400, expect.stringContaining('amount must not be less than 1')]);
    expect(await ask('/filtered', post({}))).toEqual({ status: 418, text: 'filtered' });
  });

  it('gets every parameter at every try, custom ones too', async () => {
    const { ask } = await served();
    const { text } = await ask('/of/3', { headers: { 'x-role': 'admin', 'x-other': 'o' } });
    expect(JSON.parse(text)).toEqual([3, 7, 'admin', 'o', '127.0.0.1', '/of/3']);
  });

  it('tells pipes the types of its parameters', async () => {
    const { ask } = await served();
    TypesPipe.seen = [];
    expect((await ask('/types/3?on=true')).status).toBe(200);
    expect(TypesPipe.seen.sort()).toEqual([
      ['body', 'OrderDto', undefined],
      ['param', 'String', 'id'],
      ['query', 'Boolean', 'on'],
    ]);
  });

  it('keeps its version', async () => {
    const { ask } = await served((app) => app.enableVersioning({ type: VersioningType.URI }));
    expect((await ask('/version')).status).toBe(404);
    expect(await ask('/v2/version')).toEqual({ status: 200, text: 'second' });
  });
});
