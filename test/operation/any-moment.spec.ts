import { describe, expect, it } from '@jest/globals';
import {
  ConcurrencyLimit,
  IdempotencyPolicy,
  RateLimitPolicy,
  type OperationExecutionError,
  type OperationResult,
  type ResilientFunctionOptions,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { EVENT_TYPES, STORIES } from './every-event.js';
import { after, everySeconds, gives, hangs, rejects, scene, Upstream, type Fn } from './support.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');

/** It is noon, and the clock has run for so long. */
async function clockAfter(runningMs: number): Promise<FakeClock> {
  const clock = new FakeClock({ startAt: new Date(NOON - runningMs) });
  await clock.advance(`${runningMs}ms`);
  return clock;
}

interface Call {
  readonly fn: Fn;
  readonly options: ResilientFunctionOptions<Fn, any>;
}

class RateLimited extends Error {}

const limited = (clock: FakeClock) => {
  const limit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1, queue: { size: 2 }, clock });
  void limit.run(after(clock, 3, gives('done')));
  return limit;
};

const CALLS: Record<string, (clock: FakeClock) => Promise<Call>> = {
  ...Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      async (clock: FakeClock) => {
        const { upstream, policies } = await STORIES[type](clock);
        return { fn: upstream.call, options: policies };
      },
    ]),
  ),
  'a timeout, a failure, and a success that takes its time': async (clock) => ({
    fn: new Upstream(hangs, after(clock, 2, rejects(new Error('no'))), after(clock, 0.5, gives('good'))).call,
    options: { retries: 2, backoff: everySeconds(1), timeout: 4 },
  }),
  'a deadline in an attempt': async () => ({
    fn: hangs,
    options: { retries: 5, backoff: everySeconds(1), timeout: 3, deadline: 5 },
  }),
  'a deadline that leaves no room for a wait': async (clock) => ({
    fn: after(clock, 2, rejects(new Error('no'))),
    options: { retries: 5, backoff: everySeconds(1), deadline: 5.5 },
  }),
  'a wait that was asked for': async () => ({
    fn: new Upstream(rejects(new RateLimited('slow down')), gives('good')).call,
    options: {
      retries: 1,
      backoff: everySeconds(1),
      rateLimit: new RateLimitPolicy({ rateLimitOn: [RateLimited], retryAfter: () => 7 }),
    },
  }),
  'a place in line, twice': async (clock) => ({
    fn: new Upstream(after(clock, 1, rejects(new Error('no'))), gives('good')).call,
    options: { retries: 1, backoff: everySeconds(1), timeout: 2, concurrencyLimit: limited(clock) },
  }),
  'a deadline in line': async (clock) => ({
    fn: gives('good'),
    options: { deadline: 2, concurrencyLimit: limited(clock) },
  }),
  'a key': async (clock) => ({
    fn: after(clock, 1, gives('good')),
    options: {
      retries: 1,
      backoff: everySeconds(1),
      idempotency: new IdempotencyPolicy({ key: () => 'k', ttl: 60 }),
    },
  }),
};

/** All that a call says of itself, but for what is its own each time. */
async function accountOf(name: string, runningMs: number): Promise<unknown> {
  const clock = await clockAfter(runningMs);
  const { fn, options } = await (CALLS[name] as (typeof CALLS)[string])(clock);
  const startMs = clock.wallMs();
  const { sink, run } = scene(fn, options, clock);
  const { report } = await clock.settle<OperationResult<unknown> | OperationExecutionError>(
    (run() as Promise<OperationResult<unknown>>).catch((error: OperationExecutionError) => error),
  );
  const told = JSON.stringify([report, sink.events(), clock.wallMs() - startMs]);
  return JSON.parse(told.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'its own'));
}

describe('what a call says of itself', () => {
  it.each(Object.keys(CALLS))('is the same however long the clock has run: %s', async (name) => {
    const account = await accountOf(name, 0);
    expect(await accountOf(name, 86_400_250)).toEqual(account);
  });
});
