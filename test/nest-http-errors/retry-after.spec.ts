import { describe, expect, it } from '@jest/globals';
import { Controller, Get, UseFilters } from '@nestjs/common';
import fc from 'fast-check';
import { CircuitBreakerOpenError, OperationExecutionError, OperationTimeoutError } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { retryAfterHeader } from '../../nest-module/filters/retry-after-header.js';
import { RESILIENCE_CLOCK, ResilienceExceptionFilter } from '../../nest-module/index.js';
import { PLATFORMS, serveOn } from './support.js';

describe('Retry-After', () => {
  it.each([
    [0, '1'],
    [-0, '1'],
    [0.001, '1'],
    [1, '1'],
    [1.000001, '2'],
    [12.3, '13'],
    [30, '30'],
    [86_400, '86400'],
    [-1, undefined],
    [NaN, undefined],
    [Infinity, undefined],
    [1e21, undefined],
    [null, undefined],
    [undefined, undefined],
    ['30', undefined],
  ])('of %p seconds is %p', (seconds, header) => {
    expect(retryAfterHeader(seconds)).toBe(header);
  });

  it('is a whole number above 0 that is never too early and at most a second too late, or is left out', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.anything()), (seconds) => {
        const header = retryAfterHeader(seconds);
        if (header === undefined) {
          expect(typeof seconds === 'number' && seconds >= 0 && seconds < 2 ** 53 - 1).toBe(false);
          return;
        }
        expect(header).toMatch(/^[1-9]\d*$/);
        expect(Number(header)).toBeGreaterThanOrEqual(seconds as number);
        expect(Number(header) - (seconds as number)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

let error: Error;

@Controller()
@UseFilters(ResilienceExceptionFilter)
class FailingController {
  @Get()
  async fail(): Promise<void> {
    throw error;
  }
}

describe.each(PLATFORMS)('on %s', (platform) => {
  it('Retry-After is what is known, rounded up, and is left out of what has none', async () => {
    const { ask } = await serveOn(platform, { controllers: [FailingController] });
    const headers = [];
    for (const seconds of [0, 0.2, 29.001, null]) {
      error = new CircuitBreakerOpenError('stock', 'open', seconds);
      headers.push((await ask('/')).retryAfter);
    }
    error = new OperationTimeoutError(3);
    expect([...headers, (await ask('/')).retryAfter]).toEqual(['1', '1', '30', null, null]);
  });

  it("an upstream's date is measured by the clock of the application", async () => {
    const clock = new FakeClock({ startAt: new Date('2026-01-01T00:00:00Z') });
    const { ask } = await serveOn(platform, { controllers: [FailingController] }, {}, undefined, (builder) =>
      builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' };
    const upstream = Object.assign(new Error('slow down'), { status: 429, headers });
    error = new OperationExecutionError('op', { report: undefined } as never, upstream);
    expect((await ask('/')).retryAfter).toBe('60');
    await clock.advance('15500ms');
    expect((await ask('/')).retryAfter).toBe('45');
  });
});
