import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { Observable, of, throwError } from 'rxjs';
import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import {
  ConcurrencyLimit,
  ConcurrencyLimitError,
  idempotencyPolicy,
  Shield,
  Shielded,
} from '../../lib/index.js';
import { provideObservable } from '../../lib/operation/observable-class.js';
import { Shutdown } from '../../lib/operation/shutdown.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, rejection, scene } from '../operation/support.js';
import { client } from './client.js';
import { outcome, shielded, TooSlow } from './support.js';

describe('a shield and what is around it', () => {
  it('lets each waiter run in the async context of its own caller', async () => {
    const scene = shielded({ maxRate: 1, maxWait: 60 });
    const storage = new AsyncLocalStorage<number>();
    const visit = async (): Promise<number | undefined> => storage.getStore();
    const calls = [1, 2, 3].map((user) => storage.run(user, () => scene.shield.run(visit)));
    expect(await scene.clock.settle(Promise.all(calls))).toEqual([1, 2, 3]);
  });

  it('sends everybody away who waits when the application stops [B027]', async () => {
    const clock = new FakeClock();
    const host = Object.assign(new StandaloneHost({ clock, random: () => 0.5 }), {
      shutdown: new Shutdown(),
    });
    const shield = Shield.api('github', { maxRate: 1, maxWait: 60, env: false });
    let calls = 0;
    class Client {
      @Shielded(shield)
      async visit(): Promise<string> {
        calls += 1;
        throw new TooSlow('slow');
      }
    }
    const instance = new Client();
    bindHandle(instance, { current: new MethodExecutor(host) });
    const ends = [0, 1, 2].map(() => rejection(instance.visit()));
    await clock.advance(0.1);
    host.shutdown.begin();
    const names = (await Promise.all(ends)).map((error: Error) => error.name);
    expect(names).toEqual(['ResilienceShutdownError', 'ResilienceShutdownError', 'ResilienceShutdownError']);
    expect(calls).toBe(1);
    expect([clock.pendingTimers, shield.snapshot().waiting]).toEqual([0, 0]);
  });

  it('knows who gives up first although the longest wait was changed meanwhile', async () => {
    const scene = shielded({ maxRate: 1, maxWait: 60 });
    await scene.clock.settle(scene.shield.run(async () => 'up'));
    // Nobody gets in for a while.
    const token = (): boolean => scene.shield.current.learned.gate.tryEnter(scene.clock.monotonicMs());
    expect(token()).toBe(false);
    const patient = scene.shield.run(async () => scene.clock.monotonicMs());
    scene.shield.reconfigure({ maxWait: 0.2 });
    const hasty = rejection(scene.shield.run(async () => 'up'));
    const error = await scene.clock.settle(hasty);
    expect([error.name, scene.clock.monotonicMs()]).toEqual(['ShieldLimitedError', 200]);
    expect(await scene.clock.settle(patient)).toBe(1_000);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('retries an Observable, and unsubscribes at its timeout', async () => {
    provideObservable(Observable);
    const clock = new FakeClock();
    const subscriptions: string[] = [];
    const shield = Shield.internal('github', { env: false });
    const answers = [throwError(() => new TooSlow('slow')), of('up')];
    class Client {
      @Shielded(shield, { returns: 'observable' })
      read(): Observable<string> {
        subscriptions.push('read');
        return answers[subscriptions.length - 1] as Observable<string>;
      }
      @Shielded(shield, { returns: 'observable' })
      hang(): Observable<string> {
        return new Observable(() => () => void subscriptions.push('gone'));
      }
    }
    const instance = new Client();
    bindHandle(instance, { current: new MethodExecutor(new StandaloneHost({ clock, random: () => 0 })) });
    const values: string[] = [];
    instance.read().subscribe((value) => values.push(value));
    await clock.advance(5);
    expect([values, subscriptions]).toEqual([['up'], ['read', 'read']]);
    const errors: Error[] = [];
    instance.hang().subscribe({ error: (error: Error) => errors.push(error) });
    await clock.advance('1m');
    expect(errors.map(({ name }) => name)).toEqual(['OperationTimeoutError']);
    expect(subscriptions.filter((entry) => entry === 'gone')).toHaveLength(4);
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives its fallback a thrown undefined as it is', async () => {
    const seen = client(() => Promise.reject(undefined), { fallback: (error: unknown) => [error] });
    expect(await seen.outcome()).toEqual([undefined]);
  });

  it('does not call a cache with a key that another shield would have', async () => {
    const cache = new Map<string, unknown>();
    const read = async (id: number): Promise<number> => id;
    for (const name of ['users', 'orders']) {
      const shield = Shield.api(name, { cache, env: false });
      await shield.run(read, 1);
    }
    expect([...cache.keys()].map((key) => key.split(':')[0])).toEqual(['users', 'orders']);
  });

  it('is not slowed down by calls that it did not admit [B191]', async () => {
    const scene = shielded({ maxRate: 1, whenLimited: 'reject' });
    for (let call = 0; call < 50; call += 1)
      await outcome(
        scene,
        scene.shield.run(async () => 'up'),
      );
    expect(scene.shield.snapshot()).toMatchObject({ engaged: false, samples: 1, budget: 20 });
  });
});

describe('a concurrency limit and idempotency', () => {
  it('gives one place to an execution, however many wait for it', async () => {
    const clock = new FakeClock();
    const limit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1, clock });
    const options = { concurrencyLimit: limit, idempotency: idempotencyPolicy((key: string) => key) };
    const seen = scene(after(clock, 1, gives('up')), options, clock);
    const calls = [seen.run('a'), seen.run('a'), seen.run('a')];
    const refused = rejection(seen.run('b'));
    await clock.advance(0);
    expect(limit.snapshot()).toMatchObject({ running: 1, waiting: 0 });
    expect((await refused).cause).toBeInstanceOf(ConcurrencyLimitError);
    const results = await clock.settle(Promise.all(calls));
    expect(results.map((result: any) => result.value)).toEqual(['up', 'up', 'up']);
    expect(limit.snapshot().running).toBe(0);
  });
});
