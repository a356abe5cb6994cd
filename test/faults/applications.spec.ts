import 'reflect-metadata';
import { describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { from, Observable } from 'rxjs';
import { CircuitBreakerRegistry, currentAttempt, httpCircuitBreaker, Resilient } from '../../lib/index.js';
import { inTime, PLATFORMS, serve } from '../nest/support.js';
import { everySeconds } from '../operation/support.js';
import { until } from '../redis/support.js';
import { CLIENTS } from './clients.js';
import { FaultProxy } from './fault-proxy.js';
import * as faults from './faults.js';
import { BODY, Upstream } from './upstream.js';

const CLIENT = Symbol('the client of the upstream');
const ORIGIN = Symbol('where the upstream is');
const AT_ONCE = 3;
jest.setTimeout(20_000);

@Injectable()
class Shop {
  constructor(
    @Inject(CLIENT) private readonly client: ReturnType<(typeof CLIENTS)[string]>,
    @Inject(ORIGIN) private readonly origin: string,
  ) {}

  @Resilient({ timeout: '150ms', retries: 1, backoff: everySeconds(0.005), maxConcurrent: AT_ONCE })
  async limited(): Promise<string> {
    return this.ask();
  }

  @Resilient({ timeout: '150ms', circuitBreaker: 'shop' })
  async guarded(): Promise<string> {
    return this.ask();
  }

  @Resilient({ retries: 1, backoff: everySeconds(0.005), timeout: '2s' })
  watched(): Observable<string> {
    return from(this.ask());
  }

  @Resilient({ timeout: '1h' })
  async patient(): Promise<string> {
    return this.ask();
  }

  private ask(): Promise<string> {
    return this.client.get(`${this.origin}/sized`, currentAttempt().signal);
  }
}

@Controller()
class ShopController {
  constructor(private readonly shop: Shop) {}

  @Get('limited')
  limited(): Promise<string> {
    return this.shop.limited();
  }

  @Get('guarded')
  guarded(): Promise<string> {
    return this.shop.guarded();
  }

  @Get('watched')
  watched(): Observable<string> {
    return this.shop.watched();
  }
}

describe.each(PLATFORMS)('an application on %s', (platform) => {
  const shop = async (client: string) => {
    const upstream = await Upstream.start();
    const proxy = await FaultProxy.to(upstream.port);
    const made = CLIENTS[client]!();
    const metadata = {
      controllers: [ShopController],
      providers: [
        Shop,
        { provide: CLIENT, useValue: made },
        { provide: ORIGIN, useValue: `http://127.0.0.1:${proxy.port}` },
      ],
    };
    const options = {
      exceptionFilter: true,
      circuitBreakers: [httpCircuitBreaker('shop', { failureThreshold: 5, recoveryTimeout: '200ms' })],
    };
    const { app, ask } = await serve(metadata, options, undefined, platform);
    return {
      app,
      upstream,
      proxy,
      shop: app.get(Shop),
      breaker: app.get(CircuitBreakerRegistry).get('shop'),
      ask: async (path: string) => (await ask(path, { headers: { connection: 'close' } })).status,
      async end(): Promise<void> {
        await inTime(app.close());
        await made.close();
        await proxy.close();
        await until(() => upstream.open === 0);
        await upstream.stop();
        expect(proxy.open).toBe(0);
      },
    };
  };

  it.each(['fetch', 'axios'])(
    'keeps its limit of calls at once over a black hole, with %s',
    async (client) => {
      const { ask, proxy, end } = await shop(client);
      proxy.will(faults.BLACK_HOLE);
      let most = 0;
      const look = setInterval(() => (most = Math.max(most, proxy.open)), 5);
      const statuses = await Promise.all(Array.from({ length: 12 }, () => ask('/limited')));
      clearInterval(look);
      const timedOut = statuses.filter((status) => status === 504).length;
      const refused = statuses.filter((status) => status === 503).length;
      expect(timedOut + refused).toBe(12);
      expect(timedOut).toBeGreaterThanOrEqual(1);
      // A place is free as soon as a try is over; its connection takes a moment longer to go.
      expect(most).toBeLessThanOrEqual(2 * AT_ONCE);
      expect(proxy.asked).toBeLessThanOrEqual(24);
      // The places are all there again. undici has connected anew after an abort, to the same silence.
      proxy.will(faults.PASSES);
      proxy.cut();
      await new Promise((resolve) => void setTimeout(resolve, 30));
      expect(await Promise.all([1, 2, 3].map(() => ask('/limited')))).toEqual([200, 200, 200]);
      await end();
    },
  );

  it.each(['fetch', 'axios'])(
    'is spared by its breaker, and comes back by one probe, with %s',
    async (client) => {
      const { ask, proxy, upstream, breaker, end } = await shop(client);
      proxy.will(faults.BLACK_HOLE);
      expect(await Promise.all([1, 2, 3, 4, 5].map(() => ask('/guarded')))).toEqual(
        [1, 2, 3, 4, 5].map(() => 504),
      );
      expect(breaker.state).toBe('open');
      const before = proxy.asked;
      expect([await ask('/guarded'), await ask('/guarded')]).toEqual([503, 503]);
      expect(proxy.asked).toBe(before);
      proxy.will(faults.PASSES);
      await until(async () => (await ask('/guarded')) === 200);
      expect([breaker.state, upstream.requests.length]).toEqual(['closed', 1]);
      await end();
    },
  );

  it('gives what an Observable gives after a reset', async () => {
    const { ask, proxy, shop: service, upstream, end } = await shop('@nestjs/axios');
    proxy.will(faults.RESET_IN_BODY, faults.PASSES);
    expect(await ask('/watched')).toBe(200);
    expect(upstream.requests).toHaveLength(2);
    expect(await service.guarded()).toBe(BODY);
    await end();
  });

  it('that waits for a half-open connection is told so where its client is ended', async () => {
    const { proxy, shop: service, end } = await shop('node:http');
    proxy.will(faults.GONE_IN_BODY);
    const call = service.patient().then(
      () => 'answered',
      () => 'failed',
    );
    await until(() => proxy.asked === 1);
    proxy.cut();
    expect(await call).toBe('failed');
    await end();
  });
});
