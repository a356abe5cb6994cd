import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  reportOf,
  Resilient,
  ResilienceShutdownError,
  type ExecutionReport,
  type MethodOptions,
} from '../../lib/index.js';
import { ResilienceExecutor, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { application, turn } from '../nest/shutdown-scene.js';
import { rejection } from '../operation/support.js';
import { watch } from '../support/watch.js';
import { limiting, listening, policy, RateLimitError, steps, totals } from './support.js';

const { retries, backoff, rateLimitOn, retryAfter } = listening;
const rateLimits = { rateLimitOn, retryAfter };
const repeated = { retries, backoff };

/** An application with one method, which is limited with this hint and then answers. */
async function start(options: MethodOptions, module: ResilienceModuleOptions = {}, hint: unknown = 7) {
  const upstream = limiting(hint);
  @Injectable()
  class Client {
    @Resilient(options as object)
    async read(): Promise<unknown> {
      return upstream.call();
    }
  }
  return { upstream, ...(await application(Client, module)) };
}

/** The account of one call there. */
async function accountOf(...given: Parameters<typeof start>): Promise<ExecutionReport> {
  const { client, clock, reports } = await start(...given);
  await clock.settle(client.read().catch(() => undefined));
  return reports[0] as ExecutionReport;
}

describe('rate limits in the layers of an application', () => {
  it('come from the defaults alone', async () => {
    const report = await accountOf(repeated, { defaults: rateLimits });
    expect(totals(report)).toEqual([true, 7, false]);
  });

  it('join what the decorator and the layers below say, option by option', async () => {
    const tooLong = await accountOf(
      { ...repeated, maxRateLimitWait: 6 },
      { defaults: { ...rateLimits, maxRateLimitWait: '5m' } },
    );
    expect(totals(tooLong)).toEqual([true, 0, true]);
    const named = await accountOf(
      { use: 'listening', retries, backoff },
      {
        defaults: { maxRateLimitWait: 1 },
        policies: { listening: { ...rateLimits, maxRateLimitWait: '8s' } },
      },
    );
    expect(totals(named)).toEqual([true, 7, false]);
  });

  it('take the longest wait from configuration, as text, over all others', async () => {
    const operations = (maxRateLimitWait: string | number) => ({
      operations: { 'Client.read': { maxRateLimitWait } },
    });
    const options = { ...repeated, ...rateLimits, maxRateLimitWait: 6 };
    expect(totals(await accountOf(options, operations('7s')))).toEqual([true, 7, false]);
    expect(totals(await accountOf(options, operations('6999ms')))).toEqual([true, 0, true]);
    expect(totals(await accountOf(options, operations(0)))).toEqual([true, 0, true]);
  });

  it('are switched off from configuration', async () => {
    for (const off of [false, 'false'] as const) {
      const report = await accountOf(
        { ...repeated, ...rateLimits },
        { operations: { 'Client.read': { rateLimit: off } } },
      );
      expect([report.attempts[0]?.waitedSeconds, ...totals(report)]).toEqual([2, false, 0, false]);
    }
  });

  it('as a policy object replace the simple options below, and the other way round', async () => {
    const object = await accountOf(
      { ...repeated, rateLimit: policy({ maxWait: 6 }) },
      { defaults: { rateLimitOn: [TypeError], maxRateLimitWait: '5m' } },
    );
    expect(totals(object)).toEqual([true, 0, true]);
    const simple = await accountOf(
      { ...repeated, ...rateLimits },
      { defaults: { rateLimit: policy({ maxWait: 6 }) } },
    );
    expect(totals(simple)).toEqual([true, 7, false]);
  });

  it('never wait past a deadline that another layer set', async () => {
    // B097
    const report = await accountOf({ ...repeated, ...rateLimits }, { defaults: { deadline: '5s' } });
    expect([report.durationSeconds, report.metadata.deadline_exhausted]).toEqual([0, true]);
  });

  it('make nobody repeat anything: without retries a limit is noticed only', async () => {
    const report = await accountOf({}, { defaults: rateLimits }, 1e9);
    expect([report.attemptCount, ...totals(report)]).toEqual([1, true, 0, false]);
  });

  it('are described with where they come from', async () => {
    const { app } = await start(
      { ...repeated, ...rateLimits },
      { operations: { 'Client.read': { maxRateLimitWait: '90s' } } },
    );
    const { summary, options } = app.get(ResilienceExecutor).descriptionOf('Client.read');
    expect(summary).toContain('> rate limits (waits up to 90 s) >');
    expect(options.filter(({ option }) => option === 'maxRateLimitWait')).toEqual([
      { option: 'maxRateLimitWait', value: "'90s'", from: 'operations', over: [] },
    ]);
  });

  it.each<[string, MethodOptions, ResilienceModuleOptions, string]>([
    [
      'a wait in configuration for a method that has no limits',
      repeated,
      { operations: { 'Client.read': { maxRateLimitWait: '5s' } } },
      'Client.read: maxRateLimitWait is given without rateLimitOn; add rateLimitOn, or leave maxRateLimitWait out',
    ],
    [
      'an extractor alone [R241]',
      { ...repeated, retryAfter },
      {},
      'Client.read: retryAfter is given without rateLimitOn; add rateLimitOn, or leave retryAfter out',
    ],
    [
      'text that means nothing',
      { ...repeated, ...rateLimits },
      { operations: { 'Client.read': { maxRateLimitWait: '30' } } },
      "ResilienceModule.operations['Client.read']: maxRateLimitWait is a string; give seconds as a number of 0 or more, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [
      'a policy object beside its simple options in one layer [R240]',
      repeated,
      { defaults: { rateLimit: policy(), maxRateLimitWait: 5 } },
      'ResilienceModule.defaults: maxRateLimitWait is given together with rateLimit; put it into rateLimit, or leave rateLimit out',
    ],
  ])('refuse to start with %s', async (_what, options, module, message) => {
    await expect(start(options, module)).rejects.toMatchObject({ name: 'ConfigurationError', message });
  });
});

describe('an application that stops', () => {
  it('ends a wait after a rate limit at once, with a true account', async () => {
    const { app, client, clock, reports, sink, upstream } = await start(
      { ...repeated, ...rateLimits },
      {},
      30,
    );
    const watched = watch(client.read());
    await clock.advance('10s');
    const closed = app.close();
    await turn();
    expect(watched.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect((watched.outcome as Error).cause).toBeInstanceOf(RateLimitError);
    await closed;
    expect(reports).toEqual([reportOf(watched.outcome)]);
    const report = reports[0] as ExecutionReport;
    expect([report.status, ...totals(report)]).toEqual(['cancelled', true, 10, false]);
    expect(steps(report)).toEqual([['RateLimitError', 10]]);
    expect(sink.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'rate_limit.detected',
      'attempt.failed',
      'retry.scheduled',
    ]);
    expect([clock.pendingTimers, upstream.calls.length]).toEqual([0, 1]);
  });

  it('notices a limit and does not begin to wait', async () => {
    const { app, client, clock, reports, upstream } = await start({ ...repeated, ...rateLimits }, {}, 30);
    await app.close();
    const failure = await rejection(client.read());
    expect(failure).toBeInstanceOf(RateLimitError);
    const report = reports[0] as ExecutionReport;
    expect([report.attemptCount, clock.monotonicMs(), ...totals(report)]).toEqual([1, 0, true, 0, false]);
    expect(report.metadata).toMatchObject({ shutting_down: true, rate_limit_retry_after_seconds: 30 });
    expect(upstream.calls).toHaveLength(1);
  });
});
