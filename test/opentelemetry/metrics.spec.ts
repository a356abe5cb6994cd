import { afterEach, describe, expect, it } from '@jest/globals';
import { OpenTelemetryMetrics, type OpenTelemetryMetricsOptions } from '../../lib/adapters/opentelemetry.js';
import {
  asyncOperation,
  EventEmitter,
  fallbackChain,
  idempotencyPolicy,
  InMemoryEventSink,
  RateLimitPolicy,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  build,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  Upstream,
  type Fn,
  type Policies,
} from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { metering, short } from './support.js';

const down = (): Error => Object.assign(new Error('secret: 4111'), { name: 'DownError' });
const retry = new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(2) });

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function scene(options: OpenTelemetryMetricsOptions = {}) {
  const meter = metering();
  stops.push(meter.stop);
  const clock = new FakeClock();
  const sink = new OpenTelemetryMetrics({ meterProvider: meter.provider, ...options });
  const events = new EventEmitter({ sinks: [sink], clock });
  const operation = (fn: Fn, policies: Policies = {}) => build(fn, { ...policies, events }, clock);
  const points = async (name: string) => short(await meter.points(`relprim.${name}`));
  return { ...meter, points, clock, sink, events, operation };
}

describe('metrics', () => {
  it('measure how long calls take, in seconds, by operation and outcome', async () => {
    const { operation, clock, points, read } = scene();
    const upstream = new Upstream(after(clock, 0.5, gives(1)), after(clock, 1.5, gives(1)), rejects(down()));
    const op = operation(upstream.call);
    await clock.settle(op.run());
    await clock.settle(op.run());
    await rejection(op.run());
    expect(await points('operation.duration')).toEqual([
      [
        { 'operation.name': 'op', 'operation.outcome': 'succeeded' },
        { count: 2, sum: 2 },
      ],
      [
        { 'operation.name': 'op', 'operation.outcome': 'failed' },
        { count: 1, sum: 0 },
      ],
    ]);
    const duration = (await read()).find(
      ({ descriptor }) => descriptor.name === 'relprim.operation.duration',
    );
    expect(duration?.descriptor.unit).toBe('s');
    const { boundaries } = (duration?.dataPoints[0]?.value as { buckets: { boundaries: number[] } }).buckets;
    expect([boundaries[0], boundaries.at(-1)]).toEqual([0.005, 60]);
  });

  it('tell timeouts and callers who went away from failures', async () => {
    const { operation, clock, points } = scene();
    const op = operation(new Upstream(hangs).call, { timeout: new TimeoutPolicy(3) });
    await clock.settle(rejection(op.run()));
    const controller = new AbortController();
    const left = rejection(op.runWith({ signal: controller.signal }));
    controller.abort();
    await left;
    expect(await points('operation.duration')).toEqual([
      [
        { 'operation.name': 'op', 'operation.outcome': 'timed_out' },
        { count: 1, sum: 3 },
      ],
      [
        { 'operation.name': 'op', 'operation.outcome': 'cancelled' },
        { count: 1, sum: 0 },
      ],
    ]);
  });

  it('count attempts, and measure the waits before retries', async () => {
    const { operation, clock, points } = scene();
    const upstream = new Upstream(rejects(down()), rejects(down()), gives(1));
    await clock.settle(operation(upstream.call, { retry }).run());
    expect(await points('operation.attempts')).toEqual([
      [{ 'operation.name': 'op', 'attempt.kind': 'primary', 'attempt.outcome': 'succeeded' }, 1],
      [{ 'operation.name': 'op', 'attempt.kind': 'primary', 'attempt.outcome': 'failed' }, 2],
    ]);
    expect(await points('retry.delay')).toEqual([
      [
        { 'operation.name': 'op', 'retry.delay_source': 'backoff' },
        { count: 2, sum: 4 },
      ],
    ]);
    expect(await points('operation.duration')).toEqual([
      [
        { 'operation.name': 'op', 'operation.outcome': 'succeeded' },
        { count: 1, sum: 4 },
      ],
    ]);
  });

  it('count every attempt of a call that makes more than a report keeps', async () => {
    const { operation, clock, points } = scene();
    const many = new RetryPolicy({ maxAttempts: 250, backoff: everySeconds(0) });
    await clock.settle(rejection(operation(new Upstream(rejects(down())).call, { retry: many }).run()));
    expect((await points('operation.attempts')).map(([, count]) => count)).toEqual([250]);
  });

  it('count what asked the fallback, and what came of it', async () => {
    const { operation, clock, points } = scene();
    const broken = new Upstream(rejects(down())).call;
    await operation(broken, { fallbacks: fallbackChain(['good', async () => 1]) }).run();
    await rejection(operation(broken, { fallbacks: fallbackChain(['bad', broken]) }).run());
    expect(await points('fallback.calls')).toEqual([
      [{ 'operation.name': 'op', 'fallback.outcome': 'succeeded' }, 1],
      [{ 'operation.name': 'op', 'fallback.outcome': 'failed' }, 1],
    ]);
    expect(await points('operation.attempts')).toEqual([
      [{ 'operation.name': 'op', 'attempt.kind': 'primary', 'attempt.outcome': 'failed' }, 2],
      [{ 'operation.name': 'op', 'attempt.kind': 'fallback', 'attempt.outcome': 'succeeded' }, 1],
      [{ 'operation.name': 'op', 'attempt.kind': 'fallback', 'attempt.outcome': 'failed' }, 1],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('count waits after rate limits, and those that were too long', async () => {
    const { operation, clock, points } = scene();
    const limited = (seconds: number): Error => Object.assign(down(), { seconds });
    const rateLimit = new RateLimitPolicy({
      rateLimitOn: () => true,
      retryAfter: (error) => (error as { seconds: number }).seconds,
      maxWait: 10,
    });
    const policies = { retry, rateLimit };
    await clock.settle(operation(new Upstream(rejects(limited(5)), gives(1)).call, policies).run());
    await clock.settle(rejection(operation(new Upstream(rejects(limited(50))).call, policies).run()));
    expect(await points('rate_limit.waits')).toEqual([
      [{ 'operation.name': 'op', 'rate_limit.outcome': 'waited' }, 1],
      [{ 'operation.name': 'op', 'rate_limit.outcome': 'too_long' }, 1],
    ]);
    expect(await points('retry.delay')).toEqual([
      [
        { 'operation.name': 'op', 'retry.delay_source': 'provider' },
        { count: 1, sum: 5 },
      ],
    ]);
  });

  it('count what a key did for calls, which are measured themselves, and attempts only once', async () => {
    const { operation, clock, points } = scene();
    const idempotency = idempotencyPolicy((key: string) => key);
    const op = operation(new Upstream(after(clock, 4, gives(1))).call, { idempotency });
    const first = op.run('key');
    await clock.advance(1);
    await clock.settle(Promise.all([first, op.run('key')]));
    await clock.advance(60);
    await op.run('key');
    expect(await points('idempotency.calls')).toEqual([
      [{ 'operation.name': 'op', 'idempotency.status': 'executed' }, 1],
      [{ 'operation.name': 'op', 'idempotency.status': 'joined' }, 1],
      [{ 'operation.name': 'op', 'idempotency.status': 'replayed' }, 1],
    ]);
    // 4 s for the one that executed, 3 s for the one that joined a second later, nothing for the one a minute later.
    expect(await points('operation.duration')).toEqual([
      [
        { 'operation.name': 'op', 'operation.outcome': 'succeeded' },
        { count: 3, sum: 7 },
      ],
    ]);
    expect(await points('operation.attempts')).toEqual([
      [{ 'operation.name': 'op', 'attempt.kind': 'primary', 'attempt.outcome': 'succeeded' }, 1],
    ]);
  });

  it('hold no arguments, results, keys or messages', async () => {
    const { operation, clock, read } = scene();
    const idempotency = idempotencyPolicy((key: string) => key);
    const op = operation(new Upstream(gives('secret result'), rejects(down())).call, { idempotency, retry });
    await clock.settle(op.run('secret key'));
    await clock.settle(rejection(op.run('secret other')));
    const written = JSON.stringify(await read());
    expect(written).toContain('relprim.idempotency.status');
    expect(written).not.toContain('secret');
  });

  it('tell at most so many operations apart, and call the rest other', async () => {
    const { events, points } = scene({ maxNames: 2 });
    for (let number = 1; number <= 5; number += 1)
      await asyncOperation(`op ${number}`, async () => number)
        .withEvents(events)
        .run();
    await asyncOperation('op 1', async () => 1)
      .withEvents(events)
      .run();
    const counts = (await points('operation.attempts')).map(([attributes, count]) => [
      attributes['operation.name'],
      count,
    ]);
    expect(counts).toEqual([
      ['op 1', 2],
      ['op 2', 1],
      ['other', 3],
    ]);
  });

  it('tell 200 operations apart by default', async () => {
    const { events, points } = scene();
    for (let number = 1; number <= 1_000; number += 1)
      await asyncOperation(`op ${number}`, async () => number)
        .withEvents(events)
        .run();
    expect(await points('operation.attempts')).toHaveLength(201);
    expect(await points('operation.duration')).toHaveLength(201);
  });

  it('of several that are told of one meter add up', async () => {
    const { provider, operation, points } = scene();
    const other = new EventEmitter({ sinks: [new OpenTelemetryMetrics({ meterProvider: provider })] });
    await operation(async () => 1).run();
    await asyncOperation('op', async () => 1)
      .withEvents(other)
      .run();
    expect((await points('operation.attempts')).map(([, count]) => count)).toEqual([2]);
    expect((await points('operation.duration')).map(([, total]) => total)).toMatchObject([{ count: 2 }]);
  });

  it('leave the events of a call to other sinks', async () => {
    const { provider } = scene();
    const sink = new InMemoryEventSink();
    const metrics = new OpenTelemetryMetrics({ meterProvider: provider });
    metrics.emit = () => {
      throw new Error('it is told no events');
    };
    const events = new EventEmitter({ sinks: [metrics, sink] });
    await asyncOperation('op', async () => 1)
      .withEvents(events)
      .run();
    expect(sink.sequence()).toHaveLength(4);
    expect(events.isSilent).toBe(false);
    expect(new EventEmitter({ sinks: [metrics] }).isSilent).toBe(true);
  });

  it.each([
    [{ meterProvider: {} }, 'meterProvider.getMeter'],
    [{ meterProvider: null }, 'meterProvider.getMeter'],
    [{ maxNames: 0 }, 'maxNames'],
    [{ maxName: 5 }, 'maxName'],
  ])('refuse options that are none: %j', (options, option) => {
    expect(mistakeOf(() => new OpenTelemetryMetrics(options as object)).option).toBe(option);
  });
});
