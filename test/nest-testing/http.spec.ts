import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Module, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ResilienceModule } from '../../nest-module/index.js';
import { fail, hang, ResilienceTesting, succeed } from '../../nest-module/testing/index.js';
import { closing, PLATFORMS, type Platform } from '../nest/support.js';
import { DOWN, OPTIONS, PaymentsClient, PaymentsHttp, RECEIPT } from './support.js';

@Controller('orders')
class OrdersController {
  constructor(@Inject(PaymentsClient) private readonly payments: PaymentsClient) {}

  @Post()
  place(@Body() { id }: { id: string }) {
    return this.payments.charge(id);
  }
}

@Module({
  imports: [ResilienceModule.forRoot({ ...OPTIONS, exceptionFilter: true })],
  controllers: [OrdersController],
  providers: [PaymentsClient, PaymentsHttp],
})
class ShopModule {}

async function adapterFor(platform: Platform) {
  if (platform === 'Fastify') return new (await import('@nestjs/platform-fastify')).FastifyAdapter();
  return new (await import('@nestjs/platform-express')).ExpressAdapter();
}

async function shop(platform: Platform) {
  const resilience = new ResilienceTesting();
  const module = await resilience.override(Test.createTestingModule({ imports: [ShopModule] })).compile();
  const app = closing(module.createNestApplication(await adapterFor(platform), { logger: false }));
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/orders`;
  const place = async (id: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ id }) });
    return {
      status: response.status,
      body: await response.json(),
      retryAfter: response.headers.get('retry-after'),
    };
  };
  return { app, resilience, place, http: app.get(PaymentsHttp) };
}

describe.each(PLATFORMS)('a request over HTTP, on %s', (platform) => {
  it('is answered after waits that take no real time', async () => {
    const { resilience, place } = await shop(platform);
    resilience.script('PaymentsClient.charge', fail(DOWN), hang(), succeed(RECEIPT));
    expect(await resilience.settle(place('o-1'))).toMatchObject({ status: 201, body: RECEIPT });
    expect(resilience.lastReport('PaymentsClient.charge').durationSeconds).toBe(8);
    resilience.verifyScripts();
  });

  it('finds the circuit breaker open, and closed half a minute later', async () => {
    const { resilience, place } = await shop(platform);
    resilience.script('PaymentsClient.charge', fail(DOWN), fail(DOWN), fail(DOWN), succeed(RECEIPT));
    expect(await resilience.settle(place('o-1'))).toMatchObject({ status: 500 });
    await resilience.advance('10.5s');
    expect(await resilience.settle(place('o-2'))).toMatchObject({ status: 503, retryAfter: '20' });
    await resilience.advance('20s');
    expect(await resilience.settle(place('o-3'))).toMatchObject({ status: 201, body: RECEIPT });
  });

  it('may go on to a real upstream, whose answers come before timeouts', async () => {
    const statuses = [503, 503, 200];
    const upstream = createServer((_request, response) => {
      response.writeHead(statuses.shift() ?? 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(RECEIPT));
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const { resilience, place, http } = await shop(platform);
    http.answer = async () => {
      const response = await fetch(url, { headers: { connection: 'close' } });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return (await response.json()) as typeof RECEIPT;
    };
    expect(await resilience.settle(place('o-1'))).toMatchObject({ status: 201, body: RECEIPT });
    const report = resilience.lastReport('PaymentsClient.charge');
    expect(report.attempts.map(({ status, durationSeconds }) => [status, durationSeconds])).toEqual([
      ['failed', 0],
      ['failed', 0],
      ['succeeded', 0],
    ]);
    expect(report.durationSeconds).toBe(3);
    upstream.close();
  });

  it('that waits is answered when the application closes, and nothing is left', async () => {
    const { app, resilience, place } = await shop(platform);
    resilience.script('PaymentsClient.charge', fail(DOWN));
    const answer = place('o-1');
    for (let turns = 0; turns < 10_000 && resilience.clock.pendingTimers === 0; turns += 1)
      await resilience.advance(0);
    await app.close();
    expect(await answer).toMatchObject({ status: 503, body: { code: 'RELPRIM_SHUTDOWN' } });
    expect(resilience.clock.pendingTimers).toBe(0);
    await expect(place('o-2')).rejects.toThrow('fetch failed');
  });
});
