import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  EventEmitter,
  InMemoryEventSink,
  resilient,
  type AnyEvent,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, hangs, rejection, rejects, scene, story, throws, Upstream, type Step } from './support.js';

const failing = rejects(new Error('no'));

describe('onReport', () => {
  let warn: jest.SpiedFunction<typeof process.emitWarning>;
  beforeEach(() => {
    warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const ends: [string, Step, Parameters<typeof scene>[1]][] = [
    ['succeeded', gives(1), {}],
    ['failed', failing, { retries: 1 }],
    ['timed_out', hangs, { timeout: 1 }],
    ['succeeded', failing, { fallback: gives(1) }],
    ['failed', gives(1), { validate: () => false }],
    ['cancelled', gives(1), { signal: AbortSignal.abort('gone') }],
    ['failed', gives(1), { signal: throws(new Error('selector')) as never }],
    ['failed', gives(1), { circuitBreaker: throws(new Error('selector')) as never }],
    ['failed', () => ({ subscribe: () => 0, pipe: () => 0 }), {}],
  ];

  it.each(ends)('gets the report of a call that %s, once: %#', async (status, step, options) => {
    const { run, reports, clock } = scene(step, options);
    await clock.settle(run().catch(() => undefined));
    await clock.advance('1h');
    expect(reports.map((report) => report.status)).toEqual([status]);
  });

  it.each([
    ['throws', throws(new TypeError('broken'))],
    ['rejects', rejects(new TypeError('broken'))],
    ['throws nothing', throws(undefined)],
  ])('that %s never reaches the call', async (_how, onReport) => {
    // B129
    const upstream = new Upstream(gives('ok'));
    const { result, clock } = scene(upstream.call, { onReport, retries: 3 });
    expect((await result()).value).toBe('ok');
    const cause = new Error('real');
    expect((await scene(rejects(cause), { onReport }).failure()).cause).toBe(cause);
    await clock.advance(0);
    expect(upstream.calls).toHaveLength(1);
    expect(warn).toHaveBeenCalledTimes(2);
    expect(String(warn.mock.calls[0]?.[0])).toMatch(
      /^a listener to reports of op failed with (TypeError|undefined)$/,
    );
  });

  it('is not waited for', async () => {
    const { result } = scene(gives('ok'), { onReport: hangs });
    expect((await result()).value).toBe('ok');
  });

  it('gets the very report that the result has', async () => {
    const { result, failure, reports } = scene(new Upstream(gives(1), failing).call);
    const { report } = await result();
    const error = await failure();
    expect(reports[0]).toBe(report);
    expect(reports[1]).toBe(error.report);
  });

  it('may start operations of its own', async () => {
    const names: string[] = [];
    const note = (report: ExecutionReport): void => void names.push(report.operationName);
    const audit = resilient({ name: 'audit', onReport: note }, gives(1));
    await scene(gives(1), { onReport: (report) => (note(report), audit()) }).result();
    await new Promise(setImmediate);
    expect(names).toEqual(['op', 'audit']);
  });
});

describe('a sink that is itself an operation', () => {
  it('does not tell about its own telling', async () => {
    const clock = new FakeClock();
    const written: string[] = [];
    const heard = new InMemoryEventSink();
    const sink = { emit: (event: AnyEvent): Promise<void> => write(event) };
    const events = new EventEmitter({ sinks: [heard, sink] });
    const options = {
      name: 'write',
      clock,
      retries: 2,
      backoff: { delayForRetry: () => 1 },
      timeout: 5,
      events,
    };
    const writer = resilient(options, async (event: AnyEvent) => {
      written.push(`${event.operationName} ${event.eventType}`);
      if (written.length === 2) throw new Error('once');
    });
    const write = async (event: AnyEvent): Promise<void> => void (await writer(event));
    const run = resilient({ name: 'read', clock, events }, gives(1));
    expect((await clock.settle(run())).value).toBe(1);
    expect(story(heard)).toBe('OS AS AOK OOK');
    expect(written).toEqual([
      'read operation.started',
      'read attempt.started',
      'read attempt.started',
      'read attempt.succeeded',
      'read operation.succeeded',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails the call with its own execution error, by the rule of sinks', async () => {
    const clock = new FakeClock();
    const writer = resilient({ name: 'write', clock, retries: 1 }, async (_event: AnyEvent) => {
      throw new Error('disk full');
    });
    const events = new EventEmitter({ sinks: [{ emit: (event) => writer(event).then(() => undefined) }] });
    const { run } = scene(gives(1), { events, retries: 5 }, clock);
    const error = await clock.settle(rejection(run()));
    expect(error.report.operationName).toBe('write');
  });
});
