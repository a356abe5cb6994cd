import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerRegistry } from '../../lib/index.js';
import { NestHost } from '../../nest-module/nest-host.js';
import { inTime } from '../nest/support.js';
import { PLATFORMS, scene, until } from './support.js';

/** So many of such names that a frame has some hundred thousand letters. */
const largeBreakers = Array.from({ length: 200 }, (_, index) => ({
  name: `${index} ${'x'.repeat(900)}`,
}));

describe.each(PLATFORMS)('what a dashboard on %s tells those that watch', (platform) => {
  it('is what was shown so far and the state, and then the state once a second', async () => {
    const { watch, clock, state, client } = await scene(platform);
    await client.charge();
    const watching = await watch();
    expect([watching.status, watching.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const [opening, first] = await watching.expect(2);
    const [call] = state.snapshot().executions;
    expect(opening).toEqual({ event: 'opening', data: { curves: {}, executions: [call] } });
    expect(first?.event).toBe('frame');
    await client.fails(2);
    await clock.advance(1);
    await watching.expect(3);
    const { data } = watching.told[2] as { data: any };
    const { executions, operations, ...rest } = state.snapshot();
    expect(data).toMatchObject({
      at: rest.at,
      calls: 3,
      circuit_breakers: rest.circuit_breakers,
      shields: [],
      concurrency_limits: [],
      omitted: { circuit_breakers: 0, shields: 0, concurrency_limits: 0, operations: 0 },
    });
    expect(data.circuit_breakers[0]).toMatchObject({ name: 'payments', state: 'open', failure_count: 2 });
    expect(data.operations).toEqual(operations.map(({ options: _, ...operation }) => operation));
    expect(data.executions).toEqual([executions[1], executions[0]]);
    await clock.advance(1);
    await watching.expect(4);
    expect(watching.told[3]?.data.executions).toEqual([]);
  });

  it('is counted from the start of the application, and costs it nothing but that', async () => {
    const { app, clock, state, watch } = await scene(platform);
    expect(state.snapshot().counted_since).toBe('2026-01-01T00:00:00.000Z');
    expect([app.get(NestHost).observers.length, clock.pendingTimers]).toEqual([1, 0]);
    const watching = await watch();
    expect(clock.pendingTimers).toBe(1);
    watching.leave();
    await until(() => clock.pendingTimers === 0);
  });

  it('is made once for all of them, also for those that come later', async () => {
    const { watch, clock, client, state } = await scene(platform);
    const one = await watch();
    await one.expect(2);
    await client.charge();
    await clock.advance(1);
    await one.expect(3);
    const other = await watch();
    await other.expect(2);
    const [call] = state.snapshot().executions;
    expect(other.told[0]?.data.executions).toEqual([call]);
    expect(other.told[1]).toEqual(one.told[2]);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    await Promise.all([one.expect(4), other.expect(3)]);
    expect(other.told[2]).toEqual(one.told[3]);
  });

  it('is of very many calls a part, in which those come first that did not simply succeed', async () => {
    const { watch, clock, client } = await scene(platform);
    const watching = await watch();
    await watching.expect(2);
    await client.fails(1);
    client.answer = () => 'receipt';
    for (let call = 0; call < 1_000; call += 1) await client.charge();
    await clock.advance(1);
    await watching.expect(3);
    const { calls, executions } = watching.told[2]?.data ?? {};
    expect([calls, executions.length]).toEqual([1_001, 60]);
    expect(executions.filter(({ status }: { status: string }) => status === 'failed')).toHaveLength(1);
  });

  it('can be opened for a while, however many calls come after it', async () => {
    const { watch, clock, client, json, state } = await scene(platform);
    await client.fails(1);
    client.answer = () => 'receipt';
    await client.charge();
    const watching = await watch();
    await watching.expect(2);
    const [failed, fine] = (watching.told[0]?.data.executions as { call_id: string }[]).map(
      ({ call_id }) => call_id,
    );
    for (let call = 0; call < 300; call += 1) await client.charge();
    await clock.advance(1);
    const open = async (callId = '') => ((await json(`/resilience/executions/${callId}`)) as any).execution;
    const { report, explanation } = await open(failed);
    expect(report).toMatchObject({ call_id: failed, status: 'failed', attempt_count: 1 });
    expect(explanation).toBe(
      'PaymentsClient.charge failed after 0 s, 1 attempt\n' +
        '#1 failed after 0 s: Down (the bank said no to 4111 1111)',
    );
    expect(state.execution(fine ?? '')).toBeUndefined();
    expect((await open(fine)).report).toMatchObject({ call_id: fine, status: 'succeeded' });
    expect(await json('/resilience/executions/of-nobody')).toEqual({ execution: null });
  });

  it('holds up no call and no memory when a browser does not read it, and the browser is given up', async () => {
    const { watch, clock, client, site } = await scene(platform, {
      options: { circuitBreakers: [{ name: 'payments' }, ...largeBreakers] },
    });
    const [stalled, fine] = [await watch(), await watch()];
    await Promise.all([stalled.expect(2), fine.expect(2)]);
    stalled.stall();
    let [seconds, most] = [0, 0];
    for (; seconds < 400 && site.viewerCount === 2; seconds += 1) {
      await client.charge();
      await clock.advance(1);
      await fine.expect(seconds + 3);
      most = Math.max(most, site.waitingBytes);
    }
    expect(site.viewerCount).toBe(1);
    expect(fine.told).toHaveLength(seconds + 2);
    const frame = JSON.stringify(fine.told.at(-1)).length;
    expect(frame).toBeGreaterThan(200_000);
    // Of the frame that it does not read, and of no other.
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(1.1 * frame);
  });

  it('ends when the application stops, for those that read and for those that do not', async () => {
    const { app, watch, clock, site } = await scene(platform, {
      options: { circuitBreakers: [{ name: 'payments' }, ...largeBreakers] },
    });
    const [stalled, fine] = [await watch(), await watch()];
    await Promise.all([stalled.expect(2), fine.expect(2)]);
    stalled.stall();
    // Until it takes nothing any more, and is not yet cut off.
    for (let [second, stuck] = [0, 0]; second < 400 && stuck < 5; second += 1) {
      await clock.advance(1);
      await fine.expect(second + 3);
      stuck = site.waitingBytes > 0 ? stuck + 1 : 0;
    }
    expect([site.waitingBytes > 0, site.viewerCount]).toEqual([true, 2]);
    await inTime(app.close());
    await until(() => fine.hasEnded);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is for as many as it can bear', async () => {
    const { watch, ask, site } = await scene(platform);
    const watching = await Promise.all(Array.from({ length: 32 }, () => watch()));
    expect(site.viewerCount).toBe(32);
    const { status, text } = await ask('/resilience/events');
    expect([status, text]).toEqual([503, '{"error":"no more browsers can watch now"}']);
    watching[0]?.leave();
    await until(() => site.viewerCount === 31);
    expect((await watch()).status).toBe(200);
  });

  it('ends after ten minutes, so that the guard is asked again', async () => {
    const { watch, clock, site } = await scene(platform);
    const watching = await watch();
    await watching.expect(2);
    for (let second = 1; second < 600; second += 1) {
      expect(site.viewerCount).toBe(1);
      await clock.advance(1);
      await watching.expect(second + 2);
    }
    await until(() => watching.hasEnded && site.viewerCount === 0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is nothing to whoever asks for the head alone', async () => {
    const { url, site } = await scene(platform);
    const status = await inTime(
      new Promise((resolve, reject) => {
        request(`${url}/resilience/events`, { method: 'HEAD', agent: false }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        })
          .once('error', reject)
          .end();
      }),
    );
    expect([status, site.viewerCount]).toEqual([200, 0]);
  });

  it('says so where the state cannot be read, and goes on', async () => {
    const { app, watch, clock } = await scene(platform);
    const watching = await watch();
    await watching.expect(2);
    const registry = app.get(CircuitBreakerRegistry);
    const names = registry.names.bind(registry);
    registry.names = () => {
      throw new RangeError('no');
    };
    await clock.advance(1);
    registry.names = names;
    await clock.advance(1);
    await watching.expect(4);
    expect(watching.told[2]).toEqual({ event: 'trouble', data: { error_type: 'RangeError' } });
    expect(watching.told[3]?.event).toBe('frame');
  });
});
