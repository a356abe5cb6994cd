import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  CircuitBreaker,
  ConfigurationError,
  ExponentialBackoff,
  isRetryableHttp,
  MisuseError,
  nonRetryable,
  NonRetryableError,
  OperationTimeoutError,
  resilient,
} from '../../lib/index.js';
import { everySeconds, gives, hangs, rejects, scene, thrown, throws, Upstream } from './support.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('an operation that may not be repeated after a timeout', () => {
  it('is not, with idempotent: false, though other failures are', async () => {
    const upstream = new Upstream(rejects(new Error('no')), hangs, gives('never'));
    const options = { idempotent: false, timeout: 1, retries: 5, backoff: everySeconds(0) };
    const { report } = await scene(upstream.call, options).failure();
    expect(upstream.calls).toHaveLength(2);
    expect(report.attempts.map(({ status, error }) => [status, error?.retryable])).toEqual([
      ['failed', true],
      ['timed_out', false],
    ]);
  });

  it('is not after its deadline either, and goes on to its fallback', async () => {
    const { value } = await scene(hangs, {
      idempotent: false,
      deadline: 1,
      retries: 5,
      fallback: gives('F'),
    }).result();
    expect(value).toBe('F');
  });

  it("is repeated after a timeout of somebody else's", async () => {
    const upstream = new Upstream(rejects(new OperationTimeoutError(1)), gives('ok'));
    expect((await scene(upstream.call, { idempotent: false, timeout: 9, retries: 1 }).result()).value).toBe(
      'ok',
    );
  });
});

describe('a failure that is marked as not worth another try', () => {
  const marked: Record<string, unknown> = {
    'as NonRetryableError': new NonRetryableError('declined', { cause: new Error('card') }),
    'as an error of its own': nonRetryable(new RangeError('declined')),
    'as a frozen error': nonRetryable(Object.freeze(new RangeError('declined'))),
    'as a text': nonRetryable('declined'),
  };

  it.each(Object.keys(marked))('%s is not repeated, whatever the filter says', async (how) => {
    const upstream = new Upstream(rejects(marked[how]));
    const { cause, report } = await scene(upstream.call, { retries: 5, retryOn: () => true }).failure();
    expect(cause).toBe(marked[how]);
    expect(upstream.calls).toHaveLength(1);
    expect(report.lastError?.retryable).toBe(false);
  });

  it('is recorded by the breaker and answered by a fallback all the same', async () => {
    const circuitBreaker = new CircuitBreaker();
    const { value } = await scene(rejects(new NonRetryableError('no')), {
      retries: 5,
      circuitBreaker,
      fallback: gives('F'),
    }).result();
    expect([value, circuitBreaker.snapshot().failureCount]).toEqual(['F', 1]);
  });
});

describe('a back-off that gives no delay', () => {
  it.each([NaN, -1, Infinity, -Infinity, '1', null, undefined, true, Promise.resolve(1)])(
    'but %p is a misuse: neither repeated, nor recorded, nor answered by a fallback',
    async (delay) => {
      const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
      const upstream = new Upstream(rejects(new Error('no')));
      const standIn = new Upstream(gives(1));
      const backoff = { delayForRetry: () => delay as number };
      const { failure, reports, clock } = scene(upstream.call, {
        retries: 3,
        backoff,
        circuitBreaker,
        fallback: standIn.call,
      });
      expect(await failure()).toBeInstanceOf(MisuseError);
      expect([upstream.calls.length, standIn.calls.length, clock.pendingTimers]).toEqual([1, 0, 0]);
      expect(circuitBreaker.state).toBe('closed');
      expect(reports.map((report) => report.status)).toEqual(['failed']);
    },
  );

  it('but throws rejects the call with what it threw', async () => {
    const broken = new Error('broken back-off');
    const { failure, clock } = scene(rejects(new Error('no')), {
      retries: 3,
      backoff: { delayForRetry: throws(broken) as never },
    });
    expect(await failure()).toBe(broken);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is asked with the number of the attempt and the source of chance of the operation', async () => {
    const asked: unknown[] = [];
    const random = () => 0.25;
    const backoff = {
      delayForRetry(retry: number, chance?: () => number) {
        asked.push([retry, chance === random]);
        return 0;
      },
    };
    await scene(rejects(new Error('no')), { retries: 2, backoff, random }).failure();
    expect(asked).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
    const drawn = await scene(rejects(new Error('no')), {
      retries: 1,
      backoff: new ExponentialBackoff({ baseDelay: 1 }),
      random,
    }).failure();
    expect(drawn.report.durationSeconds).toBe(0.25);
  });
});

describe('a filter that throws', () => {
  it('matches nothing, says so once, and hides the failure from nobody', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const cause = new Error('no');
    const broken = throws(new TypeError("cannot read properties of undefined (reading 'status')")) as never;
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1, recordFailureOn: broken });
    const upstream = new Upstream(rejects(cause));
    const { failure } = scene(upstream.call, {
      retries: 3,
      retryOn: broken,
      circuitBreaker,
      fallback: gives('F'),
      fallbackOn: broken,
    });
    expect((await failure()).cause).toBe(cause);
    expect((await failure()).cause).toBe(cause);
    expect(upstream.calls).toHaveLength(2);
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect(warn.mock.calls.map(([message]) => String(message).split(' ')[0])).toEqual([
      'retryOn',
      'recordFailureOn',
      'fallbackOn',
    ]);
  });

  it('is no match either when its answer is not true itself, but a promise of it', async () => {
    const upstream = new Upstream(rejects(new Error('no')));
    await scene(upstream.call, { retries: 3, retryOn: (async () => true) as never }).failure();
    expect(upstream.calls).toHaveLength(1);
  });

  it('asks isRetryableHttp about errors without any of the fields it looks for', async () => {
    // B077
    for (const cause of [new Error('plain'), null, undefined, 'text', Object.create(null)]) {
      const error = await scene(rejects(cause), { retries: 3, retryOn: isRetryableHttp }).failure();
      expect([error.cause, error.report.attemptCount]).toEqual([cause, 1]);
    }
  });
});

describe('very many retries', () => {
  it('are prepared for one by one', async () => {
    // B016
    const upstream = new Upstream(
      ...[1, 2, 3].map((n) => rejects(new Error(`failure ${n}`))),
      gives('fourth'),
    );
    expect(
      (await scene(upstream.call, { retries: 2 ** 53 - 2, backoff: everySeconds(0) }).result()).value,
    ).toBe('fourth');
    expect(upstream.calls).toHaveLength(4);
    expect(thrown(() => resilient({ retries: Infinity }, async function f() {}))).toBeInstanceOf(
      ConfigurationError,
    );
  });

  it('begin with the first delay again in the next call', async () => {
    // B107
    const { failure } = scene(rejects(new Error('no')), {
      retries: 3,
      backoff: new ExponentialBackoff({ baseDelay: 1, jitter: false }),
    });
    const waits = async () => (await failure()).report.attempts.map((attempt) => attempt.waitedSeconds);
    expect(await waits()).toEqual([1, 2, 4, 0]);
    expect(await waits()).toEqual([1, 2, 4, 0]);
  });
});

describe('retries and a fallback', () => {
  it('come in this order: the fallback does not hide a failure from the retries', async () => {
    // B071
    const upstream = new Upstream(rejects(new Error('1')), rejects(new Error('2')), gives('ok'));
    const standIn = new Upstream(gives('F'));
    const { value } = await scene(upstream.call, {
      retries: 2,
      circuitBreaker: new CircuitBreaker(),
      fallback: standIn.call,
    }).result();
    expect([value, upstream.calls.length, standIn.calls.length]).toEqual(['ok', 3, 0]);
  });

  it('leave the rejection of a failing fallback to the caller alone', async () => {
    // B111, B114
    const [primary, second] = [new Error('E1'), new Error('E2')];
    for (const fallback of [rejects(second), throws(second)]) {
      const { cause } = await scene(rejects(primary), { fallback }).failure();
      expect(cause).toMatchObject({ failures: [second], primaryFailure: primary, cause: second });
    }
  });
});

describe('a call that is saved by a retry', () => {
  it('says nothing of a deadline, which it had time for', async () => {
    const upstream = new Upstream(rejects(new Error('no')), gives('good'));
    const options = { retries: 1, backoff: everySeconds(1), deadline: 10 };
    const { report } = await scene(upstream.call, options).result();
    expect(report.retryCount).toBe(1);
    expect(report.metadata).not.toHaveProperty('deadline_exhausted');
  });
});
