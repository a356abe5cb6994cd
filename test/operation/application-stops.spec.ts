import { describe, expect, it } from '@jest/globals';
import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import {
  ConcurrencyLimit,
  EventEmitter,
  InMemoryEventSink,
  Resilient,
  ResilienceShutdownError,
  Shield,
  Shielded,
  type EventSink,
  type ExecutionReport,
  type MethodOptions,
} from '../../lib/index.js';
import { Shutdown } from '../../lib/operation/shutdown.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock } from '../../lib/testing/index.js';
import { TooSlow } from '../shield/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { everySeconds, gives, hangs, rejects, sinkThat, story, Upstream } from './support.js';

const down = new Error('down');

/** A method in an application that can stop, and what can be seen of it from outside. */
function application(upstream: Upstream, options: MethodOptions = {}, ...sinks: EventSink[]) {
  const clock = new FakeClock();
  const shutdown = new Shutdown();
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  const observed: MethodOptions = { onReport: (report) => reports.push(report), ...options };
  if (sinks.length > 0) Object.assign(observed, { events: new EventEmitter({ sinks: [sink, ...sinks] }) });
  class Client {
    @Resilient(observed as object)
    async read(): Promise<unknown> {
      return upstream.call();
    }
  }
  const client = new Client();
  const host = Object.assign(new StandaloneHost({ clock, random: () => 0 }), { shutdown });
  bindHandle(client, { current: new MethodExecutor(host) });
  return { clock, shutdown, sink, reports, host, read: () => watch(client.read()) };
}

describe('a call of an application that stops', () => {
  it('ends while it waits for its next attempt, and says after what it waited', async () => {
    const seen = application(new Upstream(rejects(down)), { retries: 1, backoff: everySeconds(60) });
    const call = seen.read();
    await seen.clock.advance('10s');
    seen.shutdown.begin();
    await seen.clock.advance(0);
    expect(call.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect(call.outcome).toMatchObject({
      name: 'ResilienceShutdownError',
      code: 'RELPRIM_SHUTDOWN',
      operationName: 'Client.read',
      message: 'Client.read waited for its next attempt when the application stopped',
      cause: down,
    });
    expect([seen.reports[0]?.status, seen.clock.pendingTimers]).toEqual(['cancelled', 0]);
  });

  it('ends while it stands in line, with no cause as nothing has failed', async () => {
    const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 1, queue: { size: 1 } });
    const seen = application(new Upstream(hangs), { concurrencyLimit });
    const [first, second] = [seen.read(), seen.read()];
    await seen.clock.advance(0);
    seen.shutdown.begin();
    await seen.clock.advance(0);
    expect([first.state, second.state]).toEqual(['pending', 'rejected']);
    expect((second.outcome as Error).message).toBe('Client.read waited when the application stopped');
    expect(second.outcome).not.toHaveProperty('cause');
  });

  it('is left alone when it has waited, and works again', async () => {
    const answer = deferred<string>();
    const upstream = new Upstream(rejects(down), () => answer.promise);
    const seen = application(upstream, { retries: 1, backoff: everySeconds(1), timeout: '1m' });
    const call = seen.read();
    await seen.clock.advance('1s');
    seen.shutdown.begin();
    answer.resolve('back');
    await seen.clock.advance(0);
    expect([upstream.calls.length, call.outcome]).toEqual([2, 'back']);
    expect(seen.reports[0]?.status).toBe('succeeded');
  });

  it('ends where the application stops just before it would wait', async () => {
    const upstream = new Upstream(rejects(down), gives('back'));
    const sink = sinkThat('retry.scheduled', () => seen.shutdown.begin());
    const seen = application(upstream, { retries: 1, backoff: everySeconds(60) }, sink);
    const call = seen.read();
    await seen.clock.advance(0);
    expect(call.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect([upstream.calls.length, seen.clock.pendingTimers]).toEqual([1, 0]);
  });

  it('fails with its own failure where it had nothing to wait for', async () => {
    const upstream = new Upstream(rejects(down), gives('back'));
    const sink = sinkThat('retry.scheduled', () => seen.shutdown.begin());
    const seen = application(upstream, { retries: 1, backoff: everySeconds(0) }, sink);
    const call = seen.read();
    await seen.clock.advance(0);
    expect([call.state, call.outcome, upstream.calls.length]).toEqual(['rejected', down, 1]);
    expect(seen.reports[0]).toMatchObject({ status: 'failed', metadata: { shutting_down: true } });
    expect(story(seen.sink)).toBe('OS AS AF retry.scheduled OF');
  });
});

describe('a shielded call of an application that stops', () => {
  it('does not say that its deadline kept it from another try', async () => {
    const seen = application(new Upstream(gives(1)));
    const shield = Shield.internal('github', { env: false });
    const sink = sinkThat('retry.scheduled', () => seen.shutdown.begin());
    const heard = new InMemoryEventSink();
    const reports: ExecutionReport[] = [];
    class Client {
      @Shielded(shield, {
        deadline: '10m',
        events: new EventEmitter({ sinks: [heard, sink] }),
        onReport: (report: ExecutionReport) => void reports.push(report),
      })
      async visit(): Promise<string> {
        throw new TooSlow('slow');
      }
    }
    const client = new Client();
    bindHandle(client, { current: new MethodExecutor(seen.host) });
    const call = watch(client.visit());
    await seen.clock.advance('5m');
    expect(call.outcome).toBeInstanceOf(TooSlow);
    expect(heard.sequence().at(-2)).toBe('retry.scheduled');
    expect(reports[0]?.metadata).toMatchObject({ shutting_down: true });
    expect(reports[0]?.metadata).not.toHaveProperty('shield_gave_up');
  });
});
