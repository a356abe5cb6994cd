import { describe, expect, it } from '@jest/globals';
import {
  EventEmitter,
  OperationTimeoutError,
  RetryPolicy,
  TimeoutPolicy,
  fallbackChain,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  build,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  sinkThat,
  Upstream,
  type Policies,
} from './support.js';

/** How a call of these policies ends, against an upstream that answers like this. */
async function endOf(policies: Policies, ...steps: ConstructorParameters<typeof Upstream>) {
  const clock = new FakeClock();
  const upstream = new Upstream(...steps);
  const error: any = await clock.settle(rejection(build(upstream.call, policies, clock).run()));
  return { error, calls: upstream.calls.length, metadata: error.report.metadata };
}

const timeout = new TimeoutPolicy(1);
const twice = new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) });

describe('whether work was done that a limit of ours gave up', () => {
  it('is said to be unknown in the report, in the error and for people', async () => {
    const { error, metadata } = await endOf({ timeout }, hangs);
    expect(metadata.outcome_unknown).toBe(true);
    expect([error.outcomeUnknown, error.cause.outcomeUnknown]).toEqual([true, true]);
    expect(error.report.explain()).toContain('whether the work was done is not known');
  });

  it('is unknown after a deadline that came during a try, too', async () => {
    const { error, metadata } = await endOf({ deadline: 1 }, hangs);
    expect([metadata.outcome_unknown, error.cause.scope, error.cause.outcomeUnknown]).toEqual([
      true,
      'deadline',
      true,
    ]);
  });

  it('is known when the last try failed by itself', async () => {
    const { error, metadata } = await endOf({ timeout, retry: twice }, hangs, rejects(new Error('declined')));
    expect('outcome_unknown' in metadata).toBe(false);
    expect([error.outcomeUnknown, error.report.attemptCount]).toEqual([false, 2]);
  });

  it('is known when a later try succeeds', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(hangs, gives('done'));
    const { report } = await clock.settle(build(upstream.call, { timeout, retry: twice }, clock).run());
    expect([report.status, 'outcome_unknown' in report.metadata]).toEqual(['succeeded', false]);
  });

  it('stays unknown where a fallback answered instead', async () => {
    const clock = new FakeClock();
    const fallbacks = fallbackChain(['queue', gives('queued')]);
    const { report } = await clock.settle(build(hangs, { timeout, fallbacks }, clock).run());
    expect([report.status, report.metadata.outcome_unknown]).toEqual(['succeeded', true]);
  });

  it('is known when sinks used up the deadline, so that the work was never begun', async () => {
    const clock = new FakeClock();
    const slow = sinkThat(
      'attempt.started',
      () => new Promise<void>((resolve) => clock.setTimer(resolve, 5_000)),
    );
    const upstream = new Upstream(gives(1));
    const events = new EventEmitter({ sinks: [slow] });
    const error: any = await clock.settle(
      rejection(build(upstream.call, { deadline: 1, events }, clock).run()),
    );
    expect([error.cause instanceof OperationTimeoutError, error.cause.outcomeUnknown]).toEqual([true, false]);
    expect([upstream.calls.length, 'outcome_unknown' in error.report.metadata]).toEqual([0, false]);
  });
});
