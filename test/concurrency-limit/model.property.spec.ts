import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { begin, limitOf, turn } from './support.js';

const RUNS = process.env['RELPRIM_SLOW'] === '1' ? { numRuns: 5_000 } : { numRuns: 200, seed: 20260717 };

/** As a limit would be written by somebody in a hurry: two lists. */
class NaiveLimit {
  readonly began: string[] = [];
  readonly running: string[] = [];
  readonly waiting: { name: string; since: number }[] = [];
  refused = 0;

  constructor(
    private readonly maxConcurrent: number,
    private readonly size: number,
    private readonly maxWait: number,
  ) {}

  come(name: string, now: number): void {
    if (this.running.length < this.maxConcurrent) this.start(name);
    else if (this.waiting.length < this.size) this.waiting.push({ name, since: now });
    else this.refused += 1;
  }

  /** Ends, or goes away. */
  leave(name: string): void {
    const place = this.waiting.findIndex((one) => one.name === name);
    if (place >= 0) this.waiting.splice(place, 1);
    if (!this.running.includes(name)) return;
    this.running.splice(this.running.indexOf(name), 1);
    const next = this.waiting.shift();
    if (next !== undefined) this.start(next.name);
  }

  pass(now: number): void {
    while (this.waiting.length > 0 && now - (this.waiting[0]?.since ?? 0) >= this.maxWait) {
      this.waiting.shift();
      this.refused += 1;
    }
  }

  private start(name: string): void {
    this.running.push(name);
    this.began.push(name);
  }
}

type Step =
  | { readonly do: 'come' }
  | { readonly do: 'end' | 'fail' | 'abort'; readonly who: number }
  | { readonly do: 'pass'; readonly seconds: number };

const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ do: fc.constant('come' as const) }),
    fc.record({ do: fc.constantFrom('end' as const, 'fail' as const, 'abort' as const), who: fc.nat(30) }),
    fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 4 }) }),
  ),
  { maxLength: 60 },
);

describe('a concurrency limit', () => {
  it('does what a naive one does, whatever comes, ends, fails, goes away and waits', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 3 }),
        fc.nat(4),
        fc.constantFrom(3, undefined),
        async (script, maxConcurrent, size, maxWait) => {
          const { limit, clock } = limitOf({ maxConcurrent, queue: { size, maxWait } });
          const naive = new NaiveLimit(maxConcurrent, size, maxWait ?? Infinity);
          const began: string[] = [];
          const calls: { readonly call: ReturnType<typeof begin>; readonly abort: AbortController }[] = [];
          for (const step of script) {
            if (step.do === 'come') {
              const [name, abort] = [String(calls.length), new AbortController()];
              calls.push({ call: begin(limit, name, began, abort.signal), abort });
              naive.come(name, clock.monotonicMs() / 1_000);
            } else if (step.do === 'pass') {
              await clock.advance(step.seconds);
              naive.pass(clock.monotonicMs() / 1_000);
            } else {
              const one = calls[step.who];
              // Nobody ends who has not begun.
              if (one === undefined || (step.do !== 'abort' && !began.includes(String(step.who)))) continue;
              if (step.do === 'abort') one.abort.abort();
              else if (step.do === 'end') one.call.end();
              else one.call.fail(new Error('broken'));
              naive.leave(String(step.who));
            }
            await turn();
            const { running, waiting, refused } = limit.snapshot();
            expect([running, waiting, refused]).toEqual([
              naive.running.length,
              naive.waiting.length,
              naive.refused,
            ]);
            expect(began).toEqual(naive.began);
            expect(clock.pendingTimers).toBe(waiting > 0 && maxWait !== undefined ? 1 : 0);
          }
          for (const { abort } of calls) abort.abort();
          await turn();
          expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0 });
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      RUNS,
    );
  });
});
