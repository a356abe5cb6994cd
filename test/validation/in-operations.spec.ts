import { describe, expect, it } from '@jest/globals';
import {
  RetryPolicy,
  TimeoutPolicy,
  ValidationFailedError,
  validationPolicy,
  validator,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { build, everySeconds, gives, rejects, scene, story, throws, Upstream } from '../operation/support.js';

const positive = validator('positive', (value: number) => value > 0, { message: 'must be above 0' });
const whole = validator('whole', (value: number) => Number.isInteger(value), { message: 'must be whole' });

describe('the validation of what an operation gives', () => {
  it('returns a valid value, with metadata set [R140]', async () => {
    const { result, sink } = scene(gives(5), { validation: validationPolicy(positive, whole) });
    const { value, report } = await result();
    expect(value).toBe(5);
    const judged = {
      validation_performed: true,
      validation_valid: true,
      validation_validator_name: 'validation_policy',
      validation_reason: null,
    };
    expect(report.metadata).toMatchObject(judged);
    expect(report.lastAttempt?.metadata).toMatchObject(judged);
    expect(story(sink)).toBe('OS AS validation.succeeded AOK OOK');
    expect(sink.events()[2]?.payload).toEqual({ attempt_number: 1, validator_name: 'validation_policy' });
  });

  it('makes an invalid value an execution error, caused by a ValidationFailedError with the reason [R141]', async () => {
    const { failure, sink } = scene(gives(1.5), { validation: validationPolicy(positive, whole) });
    const { cause, report } = await failure();
    expect(cause).toBeInstanceOf(ValidationFailedError);
    expect({ ...(cause as object) }).toEqual({ validatorName: 'whole', reason: 'must be whole' });
    expect(report.status).toBe('failed');
    expect(report.metadata).toMatchObject({
      validation_performed: true,
      validation_valid: false,
      validation_validator_name: 'whole',
      validation_reason: 'must be whole',
    });
    expect(report.lastError).toMatchObject({ type: 'ValidationFailedError', retryable: false });
    expect(story(sink)).toBe('OS AS validation.failed AF OF');
    expect(sink.events()[2]?.payload).toEqual({
      attempt_number: 1,
      validator_name: 'whole',
      reason: 'must be whole',
    });
  });

  it('retries rejected values when the filter says so [R142]', async () => {
    const upstream = new Upstream(gives(-1), gives(0), gives(7));
    const { result, sink } = scene(upstream.call, {
      validate: positive,
      retries: 3,
      retryOn: [ValidationFailedError],
      backoff: everySeconds(1),
    });
    const { value, report } = await result();
    expect([value, upstream.calls.length]).toEqual([7, 3]);
    expect(report.attempts.map(({ metadata }) => metadata.validation_valid)).toEqual([false, false, true]);
    expect(report.attempts.map(({ error }) => error?.retryable)).toEqual([true, true, undefined]);
    expect(story(sink)).toBe(
      'OS AS validation.failed AF retry.scheduled AS validation.failed AF retry.scheduled AS validation.succeeded AOK OOK',
    );
  });

  it('does not retry rejected values when the filter leaves them out [R143]', async () => {
    const upstream = new Upstream(gives(-1));
    const { failure } = scene(upstream.call, {
      validate: positive,
      retries: 3,
      retryOn: [RangeError],
      backoff: everySeconds(1),
    });
    const { report } = await failure();
    expect(upstream.calls).toHaveLength(1);
    expect(report.lastError).toMatchObject({ type: 'ValidationFailedError', retryable: false });
  });

  it.each([{ some: 'object' }, [1, 2], Object.freeze({}), Symbol('value'), 'text', undefined, null, NaN])(
    'leaves the value what it is: %p [R144]',
    async (value) => {
      const seen: unknown[] = [];
      const { result } = scene(gives(value), { validate: (given: unknown) => seen.push(given) > 0 });
      expect((await result()).value).toBe(value);
      expect(seen).toEqual([value]);
      expect(seen[0]).toBe(value);
    },
  );

  it('makes the attempt fail with the own error of a validator that throws [R145]', async () => {
    const broken = new RangeError('cannot tell');
    for (const validate of [throws(broken) as () => boolean, () => Promise.reject(broken)]) {
      const { failure, sink } = scene(gives(1), { validate });
      const { cause, report } = await failure();
      expect(cause).toBe(broken);
      expect(report.metadata).toMatchObject({
        validation_performed: false,
        validation_valid: null,
        validation_validator_name: null,
        validation_reason: null,
      });
      expect(story(sink)).toBe('OS AS AF OF');
    }
  });

  it('retries after a validator that throws like after any failure [R145]', async () => {
    let asked = 0;
    const validate = () => {
      asked += 1;
      if (asked === 1) throw new RangeError('not yet');
      return true;
    };
    const options = { validate, retries: 1, retryOn: [RangeError], backoff: everySeconds(0) };
    const { value, report } = await scene(gives('up'), options).result();
    expect([value, report.attemptCount]).toEqual(['up', 2]);
  });

  it.each([
    ['async', async () => false],
    ['a promise', () => Promise.resolve(false)],
    ['a foreign thenable', () => ({ then: (settle: (answer: boolean) => void) => settle(false) })],
  ])(
    'never takes a promise for true: %s predicate that says no rejects the value [R146]',
    async (_, predicate) => {
      const { failure } = scene(gives(1), { validate: predicate as () => Promise<boolean> });
      expect((await failure()).cause).toBeInstanceOf(ValidationFailedError);
    },
  );

  it('survives the other builder calls, before and after it [R147]', async () => {
    const clock = new FakeClock();
    const validation = validationPolicy(positive);
    const others = {
      retry: new RetryPolicy({ maxAttempts: 1 }),
      timeout: new TimeoutPolicy(5),
      idempotent: true,
    };
    for (const policies of [
      { validation, ...others },
      { ...others, validation },
    ]) {
      const good = await clock.settle(build(gives(1), policies, clock).run());
      expect(good.report.metadata.validation_performed).toBe(true);
      const bad = await clock.settle(
        build(gives(-1), policies, clock)
          .run()
          .catch((error) => error),
      );
      expect(bad.cause).toBeInstanceOf(ValidationFailedError);
    }
  });

  it('does not ask about what a method failed with, even if that looks like a rejected value', async () => {
    const own = new ValidationFailedError('elsewhere', 'not ours');
    const { failure, sink } = scene(rejects(own), { validate: positive });
    const { cause, report } = await failure();
    expect(cause).toBe(own);
    expect(report.metadata).toMatchObject({ validation_performed: false, validation_reason: null });
    expect(story(sink)).toBe('OS AS AF OF');
  });

  it('ends the call at once with a validator that gives no result: a mistake is no failure of the upstream', async () => {
    const upstream = new Upstream(gives(1));
    const odd = validationPolicy({ name: 'odd', validate: () => true as never });
    const { run, reports } = scene(upstream.call, {
      validation: odd,
      retries: 3,
      fallback: gives('never'),
    });
    await expect(run()).rejects.toMatchObject({ name: 'MisuseError' });
    expect(upstream.calls).toHaveLength(1);
    expect(reports.map((report) => report.status)).toEqual(['failed']);
  });
});
