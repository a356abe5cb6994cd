import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  ConcurrencyLimit,
  reportOf,
  Resilient,
  ResilienceShutdownError,
  Shield,
  Shielded,
} from '../../lib/index.js';
import { getConcurrencyLimitToken, getShieldToken } from '../../nest-module/index.js';
import { rejection } from '../operation/support.js';
import { hang, watch } from '../support/watch.js';
import { GITHUB, hangs, overloaded, scene } from './support.js';

@Injectable()
class Client {
  fallbacks = 0;
  answer: () => unknown = hangs;

  @Shielded('github')
  async shielded(): Promise<unknown> {
    return this.answer();
  }

  @Resilient({ concurrencyLimit: 'db', fallback: 'standIn' })
  async limited(): Promise<unknown> {
    return this.answer();
  }

  async standIn(): Promise<string> {
    this.fallbacks += 1;
    return 'stand-in';
  }
}

const options = {
  shields: [GITHUB],
  concurrencyLimits: [{ name: 'db', maxConcurrent: 1, queue: { size: 5, maxWait: '60s' } }],
} as const;

async function application() {
  const made = await scene({ providers: [Client] }, options);
  const { app } = made;
  const shield = app.get<Shield>(getShieldToken('github'));
  const limit = app.get<ConcurrencyLimit>(getConcurrencyLimitToken('db'));
  return { ...made, client: app.get(Client), shield, limit };
}

/** The limiter is on, and has no room: whoever comes must wait. */
async function slowed({ client, clock, shield }: Awaited<ReturnType<typeof application>>): Promise<void> {
  client.answer = overloaded;
  await clock.settle(rejection(client.shielded()));
  while (shield.current.gate.tryEnter(clock.monotonicMs()));
}

describe('calls that wait when their application closes end at once,', () => {
  it('at the gate of a shield', async () => {
    const made = await application();
    await slowed(made);
    const { app, clock, client, shield, reports } = made;
    const waiting = [1, 2, 3].map(() => watch(client.shielded()));
    const direct = watch(shield.run(async function direct() {}));
    await clock.advance(0);
    expect([shield.snapshot().waiting, clock.pendingTimers]).toEqual([4, 1]);
    await app.close();
    for (const call of [...waiting, direct]) expect(call.state).toBe('rejected');
    expect(waiting[0]?.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect((waiting[0]?.outcome as Error).message).toBe(
      'Client.shielded waited when the application stopped',
    );
    expect((direct.outcome as Error).message).toBe('direct waited when the application stopped');
    expect([shield.snapshot().waiting, clock.pendingTimers]).toEqual([0, 0]);
    expect(reports.slice(1).map(({ status }) => status)).toEqual(Array(4).fill('cancelled'));
  });

  it('in the queue of a concurrency limit, without asking a fallback', async () => {
    const { app, clock, client, limit } = await application();
    const inside = watch(client.limited());
    const waiting = [watch(client.limited()), watch(limit.run(async () => 'never'))];
    await clock.advance(0);
    expect([limit.snapshot().running, limit.snapshot().waiting, clock.pendingTimers]).toEqual([1, 2, 1]);
    await app.close();
    const names = ['Client.limited', 'ConcurrencyLimit.run'];
    expect(
      waiting.map(({ outcome }) => [outcome instanceof ResilienceShutdownError, String(outcome)]),
    ).toEqual(
      names.map((name) => [true, `ResilienceShutdownError: ${name} waited when the application stopped`]),
    );
    expect([limit.snapshot().waiting, clock.pendingTimers, client.fallbacks]).toEqual([0, 0, 0]);
    expect(inside.state).toBe('pending');
    expect(reportOf(waiting[0]?.outcome as Error)?.status).toBe('cancelled');
  });

  it('between two attempts of a shield, with the failure that they waited after as cause', async () => {
    const { app, clock, client, reports } = await application();
    client.answer = overloaded;
    const call = watch(client.shielded());
    await clock.advance(0);
    expect(call.state).toBe('pending');
    await app.close();
    expect(call.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect((call.outcome as Error).cause).toMatchObject({ name: 'Overloaded' });
    expect(clock.pendingTimers).toBe(0);
    expect(reports.map(({ status, attemptCount }) => [status, attemptCount])).toEqual([['cancelled', 1]]);
  });
});

describe('a call that comes when its application has closed', () => {
  it('does not wait: it is let in, or ends', async () => {
    const made = await application();
    const { app, clock, client, limit, shield } = made;
    await slowed(made);
    await app.close();
    expect(await rejection(client.shielded())).toBeInstanceOf(ResilienceShutdownError);
    client.answer = async () => 'alone';
    expect(await client.limited()).toBe('alone');
    const inside = watch(limit.run(hang));
    expect(await rejection(limit.run(async () => 'never'))).toBeInstanceOf(ResilienceShutdownError);
    expect(inside.state).toBe('pending');
    expect([limit.snapshot().waiting, shield.snapshot().waiting, clock.pendingTimers]).toEqual([0, 0, 0]);
  });
});
