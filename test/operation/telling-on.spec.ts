import { describe, expect, it } from '@jest/globals';
import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import { EventEmitter, InMemoryEventSink, Resilient, type EventSink } from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, hangs, rejection, rejects, scene, sinkThat, story, Upstream } from './support.js';

/** A sink that takes every event with a promise. */
const slowSink: EventSink = { emit: () => Promise.resolve() };

const down = new Error('down');

/** Reads once from a client whose application hears its events before the client's own emitter does. */
async function read(application: EventSink, own: EventSink): Promise<number> {
  class Client {
    @Resilient({ events: new EventEmitter({ sinks: [own] }) })
    async read(): Promise<number> {
      return 1;
    }
  }
  const client = new Client();
  const emitter = new EventEmitter({ sinks: [application] });
  const host = Object.assign(new StandaloneHost({ clock: new FakeClock() }), { emitter });
  bindHandle(client, { current: new MethodExecutor(host) });
  return client.read();
}

describe('events', () => {
  it('are told to everybody, whoever takes its time', async () => {
    const [before, after] = [new InMemoryEventSink(), new InMemoryEventSink()];
    expect(await read(before, slowSink)).toBe(1);
    expect(await read(slowSink, after)).toBe(1);
    expect([story(before), story(after)]).toEqual(['OS AS AOK OOK', 'OS AS AOK OOK']);
  });

  it('are not told any more once the caller has gone away, from within a validator either', async () => {
    const { signal, abort } = controller();
    const validate = (): boolean => {
      abort('gone');
      return true;
    };
    const { run, sink, reports } = scene(gives(1), { validate, signal });
    expect(await rejection(run())).toBe('gone');
    expect(story(sink)).toBe('OS AS');
    expect(reports.map(({ status }) => status)).toEqual(['cancelled']);
  });
});

describe('a fallback whose start was told to a sink that took its time', () => {
  const telling = (fallback: Upstream, more: object = {}) => {
    const heard = new InMemoryEventSink();
    const events = new EventEmitter({
      sinks: [heard, sinkThat('fallback.started', () => Promise.resolve())],
    });
    const upstream = new Upstream(rejects(down));
    return { ...scene(upstream.call, { fallback: fallback.call, events, ...more }), heard };
  };
  const payloads = (heard: InMemoryEventSink, type: string): unknown[] =>
    heard
      .events()
      .filter(({ eventType }) => eventType === type)
      .map(({ payload }) => payload);

  it.each([
    ['validation.succeeded', 'good'],
    ['validation.failed', 'bad'],
  ])('is still known for a fallback when its value is judged: %s', async (type, value) => {
    const { run, clock, heard } = telling(new Upstream(gives(value)), {
      validate: (given: unknown) => given === 'good',
    });
    await clock.settle(run().catch(() => undefined));
    expect(payloads(heard, type)).toEqual([
      expect.objectContaining({ attempt_number: 2, fallback_used: true }),
    ]);
  });

  it('is reported as a fallback when its caller goes away', async () => {
    const { signal, abort } = controller();
    const { run, clock, reports } = telling(new Upstream(hangs), { signal });
    const ended = rejection(run());
    await clock.advance(0);
    abort('gone');
    expect(await ended).toBe('gone');
    expect(reports[0]?.attempts.map(({ status, fallback }) => [status, fallback])).toEqual([
      ['failed', false],
      ['cancelled', true],
    ]);
  });
});

function controller() {
  const abortController = new AbortController();
  return {
    signal: abortController.signal,
    abort: (reason: unknown): void => abortController.abort(reason),
  };
}
