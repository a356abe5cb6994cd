import { describe, expect, it } from '@jest/globals';
import { EventEmitter, InMemoryEventSink } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { EVENT_TYPES, STORIES } from './every-event.js';
import { abortAndRace, build, listenersOf, sinkThat } from './support.js';
import { WAYS, type Start } from './ways-to-cancel.js';

const CASES = EVENT_TYPES.flatMap((eventType) => Object.keys(WAYS).map((way) => [eventType, way] as const));

describe('a caller who goes away while a sink is told', () => {
  it.each(CASES)('of %s, by %s, ends the call at once with its own reason [R36]', async (eventType, way) => {
    const clock = new FakeClock();
    const { upstream, standIn, policies, breaker } = await STORIES[eventType](clock);
    const [before, later] = [new InMemoryEventSink(), new InMemoryEventSink()];
    const slow = sinkThat(eventType, () => new Promise<void>(() => undefined));
    const operation = build(
      upstream.call,
      { ...policies, events: new EventEmitter({ sinks: [before, slow, later] }) },
      clock,
    );
    const controller = new AbortController();
    const reason = { why: 'the browser was closed' };

    const promise = (WAYS[way] as Start)(operation, controller.signal, clock);
    await clock.advance('1m');
    expect(before.sequence().at(-1)).toBe(eventType);
    const [told, calls, snapshot] = [
      before.sequence(),
      [...upstream.calls, ...standIn.calls],
      breaker.snapshot(),
    ];
    const { order, error } = await abortAndRace(promise, () => controller.abort(reason));
    await clock.advance('1h');

    expect(error).toBe(reason);
    expect(order[0]).toBe('call');
    expect(before.sequence()).toEqual(told);
    expect(later.sequence()).toEqual(told.slice(0, -1));
    expect([...upstream.calls, ...standIn.calls]).toEqual(calls);
    expect([clock.pendingTimers, listenersOf(controller.signal)]).toEqual([0, 0]);
    const { state, failureCount, halfOpenProbeInFlight } = breaker.snapshot();
    expect([state, failureCount]).toEqual([snapshot.state, snapshot.failureCount]);
    expect(halfOpenProbeInFlight).toBe(false);
  });
});
