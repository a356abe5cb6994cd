import { describe, expect, it } from '@jest/globals';
import { Controller, Get, UseFilters } from '@nestjs/common';
import fc from 'fast-check';
import {
  asyncOperation,
  CircuitBreakerOpenError,
  FallbackChainError,
  NonRetryableError,
  OperationTimeoutError,
  RetryError,
  ValidationFailedError,
} from '../../lib/index.js';
import { ResilienceExceptionFilter } from '../../nest-module/index.js';
import { errorOfOurs, PLATFORMS, serveOn } from './support.js';

const CODES = ['SHUTDOWN', 'IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_IN_FLIGHT', 'NEW'];

/** Words that no text of ours or of Nest has in it by chance. */
const secret = fc.stringMatching(/^[a-z]{6}$/).map((word) => `SECRET-${word}`);

const upstream = secret.chain((word) =>
  fc.constantFrom(
    Object.assign(new Error(word), { status: 429, headers: { 'x-token': word }, config: { data: word } }),
    Object.assign(new Error(word, { cause: word }), { response: { status: 503, data: word } }),
    new TypeError(word),
    word,
  ),
);

const ours = fc.oneof(
  fc
    .tuple(secret, fc.option(fc.nat()))
    .map(([name, wait]) => new CircuitBreakerOpenError(name, 'open', wait)),
  secret.map((word) => new OperationTimeoutError(3, 'attempt', { cause: new Error(word) })),
  fc.tuple(secret, secret).map(([name, reason]) => new ValidationFailedError(name, reason)),
  fc
    .tuple(fc.constantFrom(...CODES), secret)
    .map(([code, word]) => errorOfOurs(`RELPRIM_${code}`, { message: word, key: word, keys: [word] })),
);

const inside = fc.oneof(upstream, ours);

/** Any failure that the filter is asked about; the name of the operation and its argument are secrets too. */
const failure = fc.oneof(
  ours,
  fc.tuple(inside, secret, secret).map(async ([error, name, argument]) =>
    asyncOperation(name, (_argument: string) => Promise.reject(error))
      .run(argument)
      .catch((reason: unknown) => reason),
  ),
  inside.map((error) => new RetryError(2, error)),
  fc.tuple(secret, inside).map(([word, cause]) => new NonRetryableError(word, { cause })),
  fc
    .tuple(fc.array(inside, { minLength: 1, maxLength: 3 }), inside)
    .map((parts) => new FallbackChainError(...parts)),
);

let thrown: unknown;

@Controller()
@UseFilters(ResilienceExceptionFilter)
class FailingController {
  @Get()
  async fail(): Promise<void> {
    throw thrown;
  }
}

describe.each(PLATFORMS)('on %s', (platform) => {
  it('no answer says anything of names, messages, arguments, causes or stacks', async () => {
    const { ask } = await serveOn(platform, { controllers: [FailingController] });
    await fc.assert(
      fc.asyncProperty(failure, async (error) => {
        thrown = await error;
        const { status, everything } = await ask('/');
        expect(status).toBeGreaterThanOrEqual(409);
        expect(everything).not.toMatch(/SECRET|stack|cause|\.ts/);
      }),
      { numRuns: 150 },
    );
  });
});
