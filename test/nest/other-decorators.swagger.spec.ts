import { describe, expect, it } from '@jest/globals';
import { applyDecorators, Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiTags,
  DocumentBuilder,
  SwaggerModule,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { Resilient } from '../../lib/index.js';
import { calls, PLATFORMS, serve, watch, type Platform } from './support.js';

class Order {
  @ApiProperty({ description: 'in cents' })
  amount!: number;
}

class Receipt {
  @ApiProperty()
  number!: string;
}

const Protected = () => Resilient({ retries: 1, backoff: { delayForRetry: () => 0 } });

/** The same controller, with ours on top, at the bottom, or not there. */
function controllerWith(place: 'above' | 'below' | 'nowhere', failing: () => void = () => undefined) {
  const join = (...others: MethodDecorator[]): MethodDecorator => {
    if (place === 'nowhere') return applyDecorators(...others);
    return place === 'above'
      ? applyDecorators(Protected(), ...others)
      : applyDecorators(...others, Protected());
  };

  @ApiTags('orders')
  @Controller('orders')
  class OrdersController {
    @join(
      Post(),
      ApiOperation({ summary: 'Charges an order', operationId: 'charge' }),
      ApiBody({ type: Order }),
      ApiHeader({ name: 'x-key' }),
      ApiResponse({ status: 201, type: Receipt }),
      ApiResponse({ status: 503, description: 'later' }),
      ApiBearerAuth(),
    )
    async charge(@Body() { amount }: Order): Promise<Receipt> {
      failing();
      return { number: `r-${amount}` };
    }

    @join(
      Get(':id'),
      ApiParam({ name: 'id', description: 'its number' }),
      ApiQuery({ name: 'full', required: false }),
      ApiOkResponse({ type: Receipt, isArray: true }),
    )
    async find(@Param('id') id: string, @Query('full') _full?: string): Promise<Receipt[]> {
      return [{ number: id }];
    }

    // Nothing of Swagger's.
    @join(Get())
    async list(): Promise<Receipt> {
      return { number: '1' };
    }
  }
  return OrdersController;
}

async function documented(platform: Platform, controller: new () => object) {
  const server = await serve({ controllers: [controller] }, {}, undefined, platform);
  const document = SwaggerModule.createDocument(server.app, new DocumentBuilder().build());
  return { ...server, document };
}

function operations({ paths }: OpenAPIObject): string[] {
  return Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((verb) => `${verb} ${path}`));
}

describe.each(PLATFORMS)('on %s', (platform) => {
  // B141
  it.each(['above', 'below'] as const)(
    'with @Resilient %s, the document is that of the plain controller',
    async (place) => {
      const plain = await documented(platform, controllerWith('nowhere'));
      const { document } = await documented(platform, controllerWith(place));
      expect(document).toEqual(plain.document);
      expect(operations(document)).toEqual(['post /orders', 'get /orders', 'get /orders/{id}']);
      expect(document.paths['/orders']?.post).toMatchObject({
        operationId: 'charge',
        summary: 'Charges an order',
        tags: ['orders'],
        security: [{ bearer: [] }],
        parameters: [{ name: 'x-key', in: 'header' }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
        responses: { 201: { description: '' }, 503: { description: 'later' } },
      });
      expect(document.paths['/orders/{id}']?.get?.parameters).toMatchObject([
        { name: 'id', in: 'path', description: 'its number' },
        { name: 'full', in: 'query', required: false },
      ]);
      expect(Object.keys(document.components?.schemas ?? {}).sort()).toEqual(['Order', 'Receipt']);
    },
  );

  it.each(['above', 'below'] as const)(
    'with @Resilient %s, what is documented is repeated',
    async (place) => {
      let tries = 0;
      const failing = (): void => {
        tries += 1;
        if (tries === 1) throw new Error('not yet');
      };
      const { app, ask } = await documented(platform, controllerWith(place, failing));
      watch(app);
      const init = { method: 'POST', body: '{"amount":5}', headers: { 'content-type': 'application/json' } };
      expect(await ask('/orders', init)).toEqual({ status: 201, text: '{"number":"r-5"}' });
      expect([tries, calls()]).toEqual([2, ['APP OrdersController.charge']]);
    },
  );
});
