import { Body, Controller, Get, HttpCode, Injectable, Post } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { idempotencyPolicy, Resilient } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { IdempotencyKey, RESILIENCE_CLOCK, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { PLATFORMS, problem, serveOn, type Platform, type Reply } from '../nest-http-errors/support.js';

type Payment = { readonly amount: number };

/** A shop that charges in its own time, and counts how often it really did. */
async function shop(
  platform: Platform,
  onInFlight: 'join' | 'reject' = 'join',
  options: ResilienceModuleOptions = {},
) {
  const clock = new FakeClock();
  let charges = 0;

  @Injectable()
  class Payments {
    @Resilient({
      idempotency: idempotencyPolicy((_payment: Payment, key: string) => key, {
        fingerprint: (payment: Payment) => JSON.stringify(payment),
        onInFlight,
      }),
    })
    async charge(payment: Payment, _key: string) {
      charges += 1;
      const receipt = charges;
      await new Promise<void>((resolve) => clock.setTimer(resolve, 1_000));
      return { receipt, amount: payment.amount };
    }
  }

  @Controller()
  class PaymentsController {
    constructor(private readonly payments: Payments) {}

    @Post('charges')
    @HttpCode(201)
    charge(@Body() payment: Payment, @IdempotencyKey() key: string) {
      return this.payments.charge(payment, key);
    }
  }

  const site = await serveOn(
    platform,
    { providers: [Payments], controllers: [PaymentsController] },
    {
      exceptionFilter: true,
      idempotencyKeyScope: (request: { headers: Record<string, string> }) => request.headers['x-user'] ?? '',
      ...options,
    },
    undefined,
    (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
  );
  const charge = (amount: number, headers: Record<string, string>): Promise<Reply> =>
    site.ask('/charges', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': 'ann', ...headers },
      body: JSON.stringify({ amount }),
    });
  /** Real requests take real time to come in. */
  const arrived = async (count: number): Promise<void> => {
    for (let left = 500; left > 0 && clock.pendingTimers < count; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 2));
    expect(clock.pendingTimers).toBe(count);
  };
  return { clock, charge, arrived, charges: () => charges, site };
}

const KEY = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };

describe.each(PLATFORMS)('@IdempotencyKey() on %s', (platform) => {
  it('makes one execution of a request that is sent again', async () => {
    const { clock, charge, arrived, charges } = await shop(platform);
    const first = charge(5, KEY);
    await arrived(1);
    await clock.advance('1s');
    expect([(await first).status, (await first).body]).toEqual([201, { receipt: 1, amount: 5 }]);
    expect((await charge(5, KEY)).body).toEqual({ receipt: 1, amount: 5 });
    expect(charges()).toBe(1);
  });

  it('lets two that are sent at once wait for one execution', async () => {
    const { clock, charge, arrived, charges, site } = await shop(platform);
    const both = [charge(5, KEY), charge(5, KEY)];
    await arrived(1);
    // The second has been answered once a third, which comes after it, has joined.
    await site.ask('/nowhere');
    await clock.advance('1s');
    expect((await Promise.all(both)).map(({ body }) => body)).toEqual(
      Array(2).fill({ receipt: 1, amount: 5 }),
    );
    expect(charges()).toBe(1);
  });

  it.each([
    ['without the header', {}, 'missing', 'The header Idempotency-Key is missing'],
    ['with a blank one', { 'idempotency-key': ' ' }, 'missing', 'The header Idempotency-Key is missing'],
    [
      'with two of them',
      { 'idempotency-key': '"a", "b"' },
      'invalid',
      'The header Idempotency-Key is not one key of at most 255 visible characters',
    ],
    [
      'with one that is too long',
      { 'idempotency-key': 'k'.repeat(256) },
      'invalid',
      'The header Idempotency-Key is not one key of at most 255 visible characters',
    ],
  ])('answers a request %s with 400, and nothing is done', async (_what, headers, kind, title) => {
    const { charge, charges } = await shop(platform);
    const { status, body } = await charge(5, headers);
    expect(status).toBe(400);
    expect(body).toEqual({ type: `urn:relprim:problem:idempotency-key-${kind}`, title, status: 400 });
    expect(charges()).toBe(0);
  });

  it('answers the same key with another payload with 422', async () => {
    const { clock, charge, arrived, charges } = await shop(platform);
    const first = charge(5, KEY);
    await arrived(1);
    await clock.advance('1s');
    await first;
    expect(await charge(6, KEY)).toMatchObject(
      problem(422, 'RELPRIM_IDEMPOTENCY_CONFLICT', 'The idempotency key belongs to another request'),
    );
    expect(charges()).toBe(1);
  });

  it('answers a request whose key is in flight with 409 where the policy refuses those', async () => {
    const { clock, charge, arrived, charges } = await shop(platform, 'reject');
    const first = charge(5, KEY);
    await arrived(1);
    expect(await charge(5, KEY)).toMatchObject(
      problem(409, 'RELPRIM_IDEMPOTENCY_IN_FLIGHT', 'A request with this idempotency key is being processed'),
    );
    await clock.advance('1s');
    expect((await first).status).toBe(201);
    expect((await charge(5, KEY)).body).toEqual({ receipt: 1, amount: 5 });
    expect(charges()).toBe(1);
  });

  it('never gives one caller the answer of another', async () => {
    const { clock, charge, arrived, charges } = await shop(platform);
    const both = [charge(5, KEY), charge(7, { ...KEY, 'x-user': 'bob' })];
    await arrived(2);
    await clock.advance('1s');
    expect((await Promise.all(both)).map(({ body }) => (body as Payment).amount)).toEqual([5, 7]);
    expect(charges()).toBe(2);
  });

  it('cannot be fooled by a caller whose name looks like a part of a key', async () => {
    const { clock, charge, arrived, charges } = await shop(platform);
    const both = [
      charge(5, { 'idempotency-key': 'b:k', 'x-user': 'a' }),
      charge(7, { 'idempotency-key': 'k', 'x-user': 'a:b' }),
    ];
    await arrived(2);
    await clock.advance('1s');
    await Promise.all(both);
    expect(charges()).toBe(2);
  });

  it('answers with 500, and does nothing, where nobody can say who the caller is', async () => {
    const { charge, charges, site } = await shop(platform);
    const { status, everything } = await charge(5, { ...KEY, 'x-user': '' });
    expect([status, charges()]).toEqual([500, 0]);
    expect(everything).not.toContain('8e03978e');
    expect(String(site.logged[0])).toContain(
      'the scope of @IdempotencyKey() must find a text that names the caller of a request',
    );
  });
});

describe('@IdempotencyKey()', () => {
  @Controller()
  class Echo {
    @Get('key')
    key(@IdempotencyKey() key: string) {
      return { key };
    }
  }

  it('stops the application from starting where nobody says how callers are told apart', async () => {
    await expect(serveOn('Express', { controllers: [Echo] })).rejects.toThrow(
      '@IdempotencyKey() does not know the caller, so that one caller could be given the answer of another; ' +
        'give @IdempotencyKey({ scope: (request) => … }), or ResilienceModule.forRoot({ idempotencyKeyScope: (request) => … })',
    );
  });

  it('takes what is said beside it over what the module says, and another header', async () => {
    @Controller()
    class Own {
      @Get('key')
      key(@IdempotencyKey({ scope: () => 'a b', header: 'X-Request-Id' }) key: string) {
        return { key };
      }
    }
    const site = await serveOn('Express', { controllers: [Own] }, { idempotencyKeyScope: () => 'module' });
    const { body } = await site.ask('/key', { headers: { 'x-request-id': 'k1' } });
    expect(body).toEqual({ key: 'a%20b:k1' });
  });

  it.each([
    ['k1', 'k1'],
    ['"k1"', 'k1'],
    ['"with \\"quotes\\" and \\\\"', 'with "quotes" and \\'],
    ['"k1";p=1', 'k1'],
    ['  k1  ', 'k1'],
  ])('reads %s', async (header, key) => {
    const site = await serveOn('Express', { controllers: [Echo] }, { idempotencyKeyScope: () => 'c' });
    const { body } = await site.ask('/key', { headers: { 'idempotency-key': header } });
    expect(body).toEqual({ key: `c:${key}` });
  });

  it.each(['a b', '"open', 'a,b', '""', '"a" b', 'schlüssel'])('refuses %s', async (header) => {
    const site = await serveOn('Express', { controllers: [Echo] }, { idempotencyKeyScope: () => 'c' });
    const { status } = await site.ask('/key', { headers: { 'idempotency-key': header } });
    expect(status).toBe(400);
  });

  it('refuses options that are none where it is written', () => {
    expect(() => IdempotencyKey({ scope: 'ann' } as never)).toThrow(
      '@IdempotencyKey(): scope is a string; give a function',
    );
    expect(() => IdempotencyKey({ scopes: () => 'a' } as never)).toThrow(
      '@IdempotencyKey(): scopes is not an option here; did you mean scope?',
    );
  });
});
