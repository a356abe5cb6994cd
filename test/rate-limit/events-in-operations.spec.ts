import { describe, expect, it } from '@jest/globals';
import { EventEmitter, type AnyEvent, type EventType } from '../../lib/index.js';
import { CALL, isGood } from '../operation/metadata-keys.js';
import { gives, rejects, scene, story, Upstream } from '../operation/support.js';
import { closed, limited, limiting, listening, RateLimitError } from './support.js';

type Options = Parameters<typeof scene>[1];

async function told(upstream: Upstream, options: Options = listening) {
  const { run, sink, clock } = scene(upstream.call, options);
  await clock.settle(run().catch(() => undefined));
  expect(clock.pendingTimers).toBe(0);
  return sink;
}

async function payloads(upstream: Upstream, options?: Options): Promise<[EventType, object][]> {
  const events = (await told(upstream, options)).events();
  for (const { payload } of events) {
    for (const value of Object.values(payload))
      expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true);
  }
  return events.map((event) => [event.eventType, { ...event.payload }]);
}

describe('the events of a call that meets a rate limit', () => {
  it('tell the limit before the failure, and the wait after it [R91]', async () => {
    expect(story(await told(limiting(7)))).toBe('OS AS rate_limit.detected AF retry.scheduled AS AOK OOK');
    expect(story(await told(limiting(undefined)))).toBe(
      'OS AS rate_limit.detected AF retry.scheduled AS AOK OOK',
    );
  });

  it('tell that the wait is too long after the limit [R92, R256]', async () => {
    expect(story(await told(closed(61)))).toBe('OS AS rate_limit.detected rate_limit.wait_exceeded AF OF');
    expect(story(await told(closed(61), { ...listening, fallback: gives('ok') }))).toBe(
      'OS AS rate_limit.detected rate_limit.wait_exceeded AF fallback.started fallback.succeeded AOK OOK',
    );
    expect(story(await told(limiting(1, 61)))).toBe(
      'OS AS rate_limit.detected AF retry.scheduled AS rate_limit.detected rate_limit.wait_exceeded AF OF',
    );
  });

  it('tell the limit alone where there is no other try [R87]', async () => {
    expect(story(await told(closed(1e9), { ...listening, retries: 0 }))).toBe(
      'OS AS rate_limit.detected AF OF',
    );
    expect(story(await told(closed(1), { ...listening, retries: 1 }))).toBe(
      'OS AS rate_limit.detected AF retry.scheduled AS rate_limit.detected AF OF',
    );
  });

  it('tell a limit before the rejected value that it is [R256]', async () => {
    const options = { ...listening, rateLimitOn: () => true, retryAfter: () => 61, validate: isGood };
    expect(story(await told(new Upstream(gives('bad')), options))).toBe(
      'OS AS rate_limit.detected rate_limit.wait_exceeded validation.failed AF OF',
    );
  });

  it('have these payloads where a hint is waited for [R257, R261]', async () => {
    const of = await payloads(limiting(7));
    expect(of.slice(0, 5)).toEqual([
      ['operation.started', expect.objectContaining({ rate_limit_enabled: true, retry_enabled: true })],
      ['attempt.started', { attempt_number: 1, max_attempts: 4 }],
      [
        'rate_limit.detected',
        {
          attempt_number: 1,
          error_type: 'RateLimitError',
          retry_after_seconds: 7,
          max_wait_seconds: 60,
          max_wait_exceeded: false,
        },
      ],
      [
        'attempt.failed',
        {
          attempt_number: 1,
          duration_seconds: 0,
          error_type: 'RateLimitError',
          retryable: true,
          ...limited(7),
        },
      ],
      [
        'retry.scheduled',
        {
          attempt_number: 1,
          next_attempt_number: 2,
          delay_seconds: 7,
          delay_source: 'provider',
          rate_limited: true,
          retry_after_seconds: 7,
        },
      ],
    ]);
    expect(of.at(-1)).toEqual([
      'operation.succeeded',
      expect.objectContaining({
        attempt_count: 2,
        retry_count: 1,
        duration_seconds: 7,
        ...CALL,
        rate_limit_encountered: true,
        rate_limit_wait_seconds: 7,
      }),
    ]);
  });

  it('have these payloads where the back-off is waited for [R257]', async () => {
    const of = new Map(await payloads(limiting(null), { ...listening, maxRateLimitWait: '5s' }));
    expect(of.get('rate_limit.detected')).toEqual({
      attempt_number: 1,
      error_type: 'RateLimitError',
      retry_after_seconds: null,
      max_wait_seconds: 5,
      max_wait_exceeded: false,
    });
    expect(of.get('retry.scheduled')).toEqual({
      attempt_number: 1,
      next_attempt_number: 2,
      delay_seconds: 2,
      delay_source: 'backoff',
      rate_limited: true,
      retry_after_seconds: null,
    });
  });

  it.each([
    ['a hint', 61.5, 61.5, 60],
    ['a back-off', null, 2, 1],
  ])(
    'have these payloads where %s is too long, the refused wait among them [R257, R261]',
    async (_what, hint, delay, maxRateLimitWait) => {
      const of = await payloads(closed(hint), { ...listening, maxRateLimitWait });
      const failed = { ...limited(hint, null), rate_limit_wait_exceeded: true };
      expect(of.slice(2)).toEqual([
        [
          'rate_limit.detected',
          {
            attempt_number: 1,
            error_type: 'RateLimitError',
            retry_after_seconds: hint,
            max_wait_seconds: maxRateLimitWait,
            max_wait_exceeded: true,
          },
        ],
        [
          'rate_limit.wait_exceeded',
          {
            attempt_number: 1,
            retry_after_seconds: hint,
            delay_seconds: delay,
            max_wait_seconds: maxRateLimitWait,
          },
        ],
        [
          'attempt.failed',
          {
            attempt_number: 1,
            duration_seconds: 0,
            error_type: 'RateLimitError',
            retryable: false,
            ...failed,
          },
        ],
        [
          'operation.failed',
          {
            duration_seconds: 0,
            attempt_count: 1,
            retry_count: 0,
            error_type: 'RateLimitError',
            ...failed,
            ...CALL,
            rate_limit_encountered: true,
            rate_limit_wait_exceeded: true,
          },
        ],
      ]);
    },
  );

  it('say the same when they are read after the call as when they are read at once [R257]', async () => {
    const late = await payloads(limiting(7, undefined, 61));
    const early: object[] = [];
    const sink = { emit: (event: AnyEvent) => void early.push([event.eventType, { ...event.payload }]) };
    await told(limiting(7, undefined, 61), { ...listening, events: new EventEmitter({ sinks: [sink] }) });
    expect(late).toHaveLength(14);
    expect(late).toEqual(early);
  });

  it('say of each failure whether it was one', async () => {
    const upstream = new Upstream(rejects(new Error('other')), rejects(new RateLimitError(3)), gives('ok'));
    const of = await payloads(upstream);
    const scheduled = of.filter(([type]) => type === 'retry.scheduled').map(([, payload]) => payload);
    expect(scheduled).toMatchObject([
      { delay_source: 'backoff', rate_limited: false, retry_after_seconds: null },
      { delay_source: 'provider', rate_limited: true, retry_after_seconds: 3 },
    ]);
    expect(of.filter(([type]) => type === 'rate_limit.detected')).toHaveLength(1);
  });

  it('are told while the call waits, and not only afterwards', async () => {
    const { clock, run, sink } = scene(limiting(7).call, listening);
    const running = run();
    await clock.advance(6.999);
    expect(story(sink)).toBe('OS AS rate_limit.detected AF retry.scheduled');
    await clock.advance(0.001);
    expect(story(sink)).toContain('OOK');
    await running;
  });
});
