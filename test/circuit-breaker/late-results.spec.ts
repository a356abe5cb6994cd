import { describe, expect, it } from '@jest/globals';
import { asyncOperation, EventEmitter, InMemoryEventSink } from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { beginCall, failCalls, refusedCall, setUp } from './support.js';

describe('a result that comes when the breaker has moved on', () => {
  it('does not close an open breaker [R57]', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 3 });
    // B046
    const slow = beginCall(breaker);
    await clock.advance('100ms');
    await failCalls(breaker);
    await clock.advance('1900ms');
    slow.resolve('up');
    await expect(slow.outcome).resolves.toBe('up');
    expect(breaker.state).toBe('open');
    await clock.advance(1);
    expect((await refusedCall(breaker)).error.retryAfterSeconds).toBe(7.1);
    await clock.advance('7099ms');
    expect((await refusedCall(breaker)).calls).toBe(0);
    await clock.advance('1ms');
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('neither opens an open breaker again nor pushes its recovery out [R57]', async () => {
    const { clock, breaker } = setUp();
    const sink = new InMemoryEventSink();
    const work = Array.from({ length: 7 }, () => deferred());
    const operation = asyncOperation('charge', (index: number) => work[index]?.promise, { clock })
      .withCircuitBreaker(breaker)
      .withEvents(new EventEmitter({ sinks: [sink] }));
    const outcomes = work.map((_, index) => rejection(operation.run(index)));
    await clock.advance(0);
    // B047
    for (const one of work) {
      one.reject(new Error('down'));
      await clock.advance(1);
    }
    for (const outcome of outcomes)
      expect((await outcome).report).toMatchObject({ status: 'failed', attemptCount: 1 });
    expect(sink.sequence().filter((type) => type.startsWith('circuit_breaker.'))).toEqual([
      'circuit_breaker.opened',
    ]);
    expect(breaker.snapshot()).toMatchObject({
      failureCount: 2,
      openedAt: new Date('2026-01-01T00:00:01Z'),
      retryAfterSeconds: 4,
    });
  });

  it('is no result of the probe [R57]', async () => {
    const { clock, breaker } = setUp();
    const [early, late] = [beginCall(breaker), beginCall(breaker)];
    await failCalls(breaker);
    await clock.advance(10);
    const probe = beginCall(breaker);
    early.resolve('up');
    await early.outcome;
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: true });
    late.reject(new Error('down'));
    await rejection(late.outcome);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: true });
    probe.resolve('up');
    await probe.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('counts for nothing in a later closed time [R57]', async () => {
    const { clock, breaker } = setUp();
    const [failing, succeeding] = [beginCall(breaker), beginCall(breaker)];
    await failCalls(breaker);
    await clock.advance(10);
    await breaker.run(() => 'up');
    await failCalls(breaker, 1);
    succeeding.resolve('up');
    await succeeding.outcome;
    expect(breaker.snapshot().failureCount).toBe(1);
    failing.reject(new Error('down'));
    await rejection(failing.outcome);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
  });

  it('of a cancelled call changes nothing, in whatever state [R57]', async () => {
    const { clock, breaker } = setUp();
    const controller = new AbortController();
    const cancelled = beginCall(breaker, controller.signal);
    controller.abort();
    await rejection(cancelled.outcome);
    await failCalls(breaker, 1);
    cancelled.reject(new Error('late'));
    await clock.advance(1);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
  });
});
