import { describe, expect, it } from '@jest/globals';
import { ExecutionAttempt, ExecutionReport, reportFromJson, RetryPolicy } from '../../lib/index.js';
import { everySeconds, story } from '../operation/support.js';
import { blockFor, stalling } from './support.js';

const retry = (maxAttempts: number) => new RetryPolicy({ maxAttempts, backoff: everySeconds(0.5) });
/** What everybody has who does not ask for more. */
const usual = { failureThreshold: 3 };

describe('an attempt that timed out in a blocked event loop', () => {
  it('says for how long the loop was certainly blocked', async () => {
    const { clock, begin, reports, sink } = stalling({}, usual);
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    expect(await outcome).toMatchObject({
      error: { cause: { name: 'OperationTimeoutError', localStall: 0.3 } },
    });
    const [report] = reports as [ExecutionReport];
    expect(report.toJSON()).toMatchObject({
      status: 'timed_out',
      duration_seconds: 0.4,
      metadata: { local_stall: 0.3 },
      attempts: [{ status: 'timed_out', duration_seconds: 0.4, metadata: { local_stall: 0.3 } }],
    });
    expect(report.lastAttempt?.localStall).toBe(0.3);
    const payloads = sink.events().map(({ payload }) => (payload as { local_stall?: number }).local_stall);
    expect(story(sink)).toBe('OS AS AF OF');
    expect(payloads).toEqual([undefined, undefined, 0.3, 0.3]);
  });

  it('is retried like any other, and only it says so', async () => {
    const { clock, answers, begin, reports } = stalling({ retry: retry(2) }, usual);
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await clock.advance(0.5);
    answers[1]?.resolve('fine');
    expect(await outcome).toMatchObject({ value: 'fine' });
    const [report] = reports as [ExecutionReport];
    expect(report.attempts.map(({ status, localStall }) => [status, localStall])).toEqual([
      ['timed_out', 0.3],
      ['succeeded', 0],
    ]);
    expect(report.attempts[1]?.metadata).not.toHaveProperty('local_stall');
    expect(report.metadata).not.toHaveProperty('local_stall');
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells it in its story, and over the wire', async () => {
    const { clock, begin, reports } = stalling({}, usual);
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await outcome;
    const [report] = reports as [ExecutionReport];
    expect(report.explain()).toBe(
      'op timed out after 0.4 s, 1 attempt\n' +
        '#1 timed out after 0.4 s: OperationTimeoutError (the attempt did not end within its timeout of 0.1 s)' +
        '; our own event loop was blocked for at least 0.3 s\n' +
        'whether the work was done is not known: the last try was given up while it ran',
    );
    expect(reportFromJson(JSON.parse(JSON.stringify(report))).lastAttempt?.localStall).toBe(0.3);
  });

  it('counts against its breaker, unless that is told otherwise', async () => {
    const { clock, breaker, begin } = stalling({}, { failureThreshold: 1 });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await outcome;
    expect(breaker.state).toBe('open');
  });
});

describe('an attempt says nothing of a stall', () => {
  it('when the loop turned and the server was slow', async () => {
    const { clock, begin, reports } = stalling({}, usual);
    const { outcome } = begin();
    await clock.advance(60);
    await outcome;
    expect(reports[0]?.lastAttempt?.localStall).toBe(0);
    expect(JSON.stringify(reports[0])).not.toContain('local_stall');
    expect(reports[0]?.explain()).not.toContain('blocked');
  });

  it('when its timer was late by less than 20 ms', async () => {
    const { clock, begin, reports } = stalling({}, usual);
    const { outcome } = begin();
    await blockFor(clock, 0.119);
    await outcome;
    expect(JSON.stringify(reports[0])).not.toContain('local_stall');
  });

  it('when the stall came and went within its timeout', async () => {
    const { clock, answers, begin, reports } = stalling({}, usual);
    const { outcome } = begin();
    await blockFor(clock, 0.09);
    answers[0]?.resolve('fine');
    await outcome;
    expect(reports[0]?.toJSON()).toMatchObject({ status: 'succeeded', duration_seconds: 0.09 });
    expect(JSON.stringify(reports[0])).not.toContain('local_stall');
  });

  it('when the wait before it was stalled', async () => {
    const { clock, answers, begin, reports } = stalling({ retry: retry(2) }, usual);
    const { outcome } = begin();
    answers[0]?.reject(new Error('no'));
    await clock.advance(0.1);
    await blockFor(clock, 5);
    answers[1]?.resolve('fine');
    await outcome;
    expect(reports[0]?.attempts.map(({ waitedSeconds }) => waitedSeconds)).toEqual([5.1, 0]);
    expect(JSON.stringify(reports[0])).not.toContain('local_stall');
  });

  it('when its metadata were made by somebody else', () => {
    const fields = {
      attemptNumber: 1,
      status: 'failed',
      startedAt: new Date(0),
      durationSeconds: 1,
    } as const;
    expect(new ExecutionAttempt(fields).localStall).toBe(0);
    expect(new ExecutionAttempt({ ...fields, metadata: { local_stall: 'long' } }).localStall).toBe(0);
  });
});
