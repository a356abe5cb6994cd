import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, fallbackChain } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  everySeconds,
  gives,
  hangs,
  openBreaker,
  recoveredBreaker,
  rejects,
  scene,
  story,
  Upstream,
  type Step,
} from './support.js';
import { isGood } from './metadata-keys.js';

const failing = rejects(new Error('no'));
const twice = { retries: 1, backoff: everySeconds(1) };

/** What is told of one call, whatever its end. */
async function told(
  fn: Step,
  options: Parameters<typeof scene>[1],
  clock = new FakeClock(),
): Promise<string> {
  const { run, sink } = scene(fn, options, clock);
  await clock.settle(run().catch(() => undefined));
  expect(clock.pendingTimers).toBe(0);
  return story(sink);
}

describe('the events of a call', () => {
  it('tell a success, and with a check that it was passed [R255]', async () => {
    expect(await told(gives('good'), {})).toBe('OS AS AOK OOK');
    expect(await told(gives('good'), { validate: isGood })).toBe('OS AS validation.succeeded AOK OOK');
  });

  it('tell a retry, and a failure after the last one [R255]', async () => {
    const upstream = new Upstream(failing, gives('good'));
    expect(await told(upstream.call, twice)).toBe('OS AS AF retry.scheduled AS AOK OOK');
    expect(await told(failing, twice)).toBe('OS AS AF retry.scheduled AS AF OF');
    expect(await told(failing, {})).toBe('OS AS AF OF');
  });

  it('tell a rejected value before the failure of its attempt [R255]', async () => {
    expect(await told(gives('bad'), { validate: isGood })).toBe('OS AS validation.failed AF OF');
    const upstream = new Upstream(gives('bad'), gives('good'));
    expect(await told(upstream.call, { ...twice, validate: isGood })).toBe(
      'OS AS validation.failed AF retry.scheduled AS validation.succeeded AOK OOK',
    );
  });

  it('tell a fallback that succeeds, without an attempt.started of its own [R255, R258]', async () => {
    expect(await told(failing, { fallback: gives('good') })).toBe(
      'OS AS AF fallback.started fallback.succeeded AOK OOK',
    );
    expect(await told(failing, { fallback: gives('good'), validate: isGood })).toBe(
      'OS AS AF fallback.started validation.succeeded fallback.succeeded AOK OOK',
    );
  });

  it('tell a fallback that fails, without an attempt.started of its own [R256, R258]', async () => {
    expect(await told(failing, { fallback: failing })).toBe(
      'OS AS AF fallback.started fallback.failed AF OF',
    );
    expect(await told(failing, { fallback: gives('bad'), validate: isGood })).toBe(
      'OS AS AF fallback.started validation.failed fallback.failed AF OF',
    );
  });

  it('tell each rejected candidate of a chain on the way to a good one [R256]', async () => {
    const fallbacks = fallbackChain(
      ['a', gives('bad')],
      ['b', failing],
      ['c', gives('worse')],
      ['d', gives('good')],
    );
    expect(await told(failing, { fallbacks, validate: isGood })).toBe(
      'OS AS AF fallback.started validation.failed validation.failed validation.succeeded fallback.succeeded AOK OOK',
    );
  });

  it('tell nothing of a fallback that is not meant for the failure [R255]', async () => {
    expect(await told(failing, { fallback: gives('good'), fallbackOn: [RangeError] })).toBe('OS AS AF OF');
  });

  it('tell a timeout as the failure of its attempt [R256]', async () => {
    expect(await told(hangs, { timeout: 1 })).toBe('OS AS AF OF');
    const upstream = new Upstream(hangs, gives('good'));
    expect(await told(upstream.call, { timeout: 1, ...twice })).toBe('OS AS AF retry.scheduled AS AOK OOK');
  });

  it('tell the refusal of a breaker before the failure of its attempt [R256]', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    expect(await told(failing, { circuitBreaker }, clock)).toBe('OS AS circuit_breaker.rejected AF OF');
    expect(await told(failing, { circuitBreaker, fallback: gives('good') }, clock)).toBe(
      'OS AS circuit_breaker.rejected AF fallback.started fallback.succeeded AOK OOK',
    );
  });

  it('tell that a breaker opened just before the failure that opened it', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2 });
    expect(await told(failing, { circuitBreaker, ...twice })).toBe(
      'OS AS AF retry.scheduled AS circuit_breaker.opened AF OF',
    );
    const other = new CircuitBreaker({ failureThreshold: 1 });
    expect(await told(gives('bad'), { circuitBreaker: other, validate: isGood })).toBe(
      'OS AS validation.failed circuit_breaker.opened AF OF',
    );
  });

  it('tell that a breaker is half-open before the probe, and what the probe showed before its own event', async () => {
    // B014
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock);
    expect(await told(failing, { circuitBreaker }, clock)).toBe(
      'OS circuit_breaker.half_opened AS circuit_breaker.opened AF OF',
    );
    await clock.advance('30s');
    expect(await told(gives('good'), { circuitBreaker }, clock)).toBe(
      'OS circuit_breaker.half_opened AS circuit_breaker.closed AOK OOK',
    );
  });

  it('tell that a breaker closed after a probe whose value was accepted', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock);
    expect(await told(gives('good'), { circuitBreaker, validate: isGood }, clock)).toBe(
      'OS circuit_breaker.half_opened AS validation.succeeded circuit_breaker.closed AOK OOK',
    );
  });

  it('tell every step of a call that loses its breaker and is answered by a fallback', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2 });
    const options = { circuitBreaker, retries: 5, backoff: everySeconds(1), fallback: gives('good') };
    expect(await told(failing, options)).toBe(
      'OS AS AF retry.scheduled AS circuit_breaker.opened AF retry.scheduled AS circuit_breaker.rejected AF ' +
        'fallback.started fallback.succeeded AOK OOK',
    );
  });

  it('are none without an emitter, and none are asked of anybody [R260]', async () => {
    const { result, sink, reports } = scene(gives('good'), { events: undefined });
    await result();
    expect(sink.events()).toEqual([]);
    expect(reports).toHaveLength(1);
  });

  it('bear the time of what happened, the name of the operation and the id of its report', async () => {
    const { result, sink } = scene(new Upstream(failing, gives('good')).call, {
      name: 'users.read',
      ...twice,
    });
    const { report } = await result();
    expect(sink.events().map((event) => event.timestamp.toISOString().slice(17, 19))).toEqual([
      '00',
      '00',
      '00',
      '00',
      '01',
      '01',
      '01',
    ]);
    expect(new Set(sink.events().map((event) => event.operationName))).toEqual(new Set(['users.read']));
    expect(new Set(sink.events().map((event) => event.callId))).toEqual(new Set([report.callId]));
  });
});
