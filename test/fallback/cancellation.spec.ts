import { describe, expect, it } from '@jest/globals';
import { currentAttempt, EventEmitter, fallbackChain } from '../../lib/index.js';
import {
  gives,
  hangs,
  listenersOf,
  rejection,
  rejects,
  scene,
  sinkThat,
  story,
  Upstream,
} from '../operation/support.js';

const down = new Error('down');
const reason = new Error('the user left');

describe('a cancellation in a fallback', () => {
  it('stops everything: no further candidate, no event, the reason as it is [R122]', async () => {
    const controller = new AbortController();
    const next = new Upstream(gives('never'));
    const signals: AbortSignal[] = [];
    const first = () => {
      signals.push(currentAttempt().signal);
      return hangs();
    };
    const { run, sink, reports, clock } = scene(rejects(down), {
      signal: controller.signal,
      fallbacks: fallbackChain(['first', first], ['next', next.call]),
    });
    const outcome = rejection(run());
    await clock.advance(1);
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    await clock.advance('1h');
    expect(next.calls).toEqual([]);
    expect(story(sink)).toBe('OS AS AF fallback.started');
    expect(signals.map((signal) => signal.reason)).toEqual([reason]);
    expect(reports[0]?.attempts.map(({ status, fallback }) => [status, fallback])).toEqual([
      ['failed', false],
      ['cancelled', true],
    ]);
    expect(reports.map((report) => report.status)).toEqual(['cancelled']);
    expect([clock.pendingTimers, listenersOf(controller.signal)]).toEqual([0, 0]);
  });

  it('stops the chain also when the candidate lets its caller abort, and then fails itself [R122]', async () => {
    const controller = new AbortController();
    const next = new Upstream(gives('never'));
    const aborts = () => {
      controller.abort(reason);
      throw new Error('because of the abort');
    };
    const { run } = scene(rejects(down), {
      signal: controller.signal,
      fallbacks: fallbackChain(['first', aborts], ['next', next.call]),
    });
    expect(await rejection(run())).toBe(reason);
    expect(next.calls).toEqual([]);
  });

  it('gives no value that comes after it [R122]', async () => {
    const controller = new AbortController();
    const abortsAndGives = async () => {
      controller.abort(reason);
      return 'too late';
    };
    const { run, sink } = scene(rejects(down), { signal: controller.signal, fallback: abortsAndGives });
    expect(await rejection(run())).toBe(reason);
    expect(story(sink)).toBe('OS AS AF fallback.started');
  });

  it.each(['fallback.started', 'validation.failed', 'validation.succeeded', 'fallback.succeeded'])(
    'stops the chain in the sink of %s [R122]',
    async (type) => {
      const controller = new AbortController();
      const invalid = new Upstream(gives(-1));
      const valid = new Upstream(gives(1));
      const sink = sinkThat(type, () => new Promise(() => undefined));
      const { run, reports, clock } = scene(rejects(down), {
        signal: controller.signal,
        validate: (value: number) => value > 0,
        fallbacks: fallbackChain(['invalid', invalid.call], ['valid', valid.call]),
        events: new EventEmitter({ sinks: [sink] }),
      });
      const outcome = rejection(run());
      await clock.advance(1);
      const before = [invalid.calls.length, valid.calls.length];
      controller.abort(reason);
      expect(await outcome).toBe(reason);
      await clock.advance(1);
      expect([invalid.calls.length, valid.calls.length]).toEqual(before);
      expect(before).toEqual(
        { started: [0, 0], failed: [1, 0], succeeded: [1, 1] }[type.split('.')[1] ?? ''],
      );
      expect(reports.map((report) => report.status)).toEqual(['cancelled']);
      expect(listenersOf(controller.signal)).toBe(0);
    },
  );

  it('stops the chain while an async validator looks at a candidate [R122]', async () => {
    const controller = new AbortController();
    const next = new Upstream(gives(1));
    const { run, clock } = scene(rejects(down), {
      signal: controller.signal,
      validate: () => new Promise<boolean>(() => undefined),
      fallbacks: fallbackChain(['first', gives(1)], ['next', next.call]),
    });
    const outcome = rejection(run());
    await clock.advance(1);
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    expect(next.calls).toEqual([]);
  });

  it('keeps the fallback from being called when it comes before it [R122]', async () => {
    const controller = new AbortController();
    const fallback = new Upstream(gives('never'));
    const failing = async () => {
      await Promise.resolve();
      controller.abort(reason);
      throw down;
    };
    const { run } = scene(failing, { signal: controller.signal, fallback: fallback.call });
    expect(await rejection(run())).toBe(reason);
    expect(fallback.calls).toEqual([]);
  });

  it('leaves a failure alone that a candidate took from an abort of its own', async () => {
    const own = AbortSignal.abort().reason as unknown;
    const { result } = scene(rejects(down), {
      fallbacks: fallbackChain(['first', rejects(own)], ['next', gives('next')]),
    });
    const { value, report } = await result();
    expect([value, report.metadata.fallback_failure_count]).toEqual(['next', 1]);
  });
});
