import { currentAttempt, validator, type Validator } from '../../lib/index.js';
import type { FakeClock } from '../../lib/testing/index.js';
import { choke, labelOf, LimitedError, scripted } from './failures.js';
import type { Called } from './reference-account.js';
import { stepAt, type PlannedCall, type ScriptedTag, type Step } from './scenario.js';

interface Value {
  readonly label: string;
  readonly end: 'good' | 'bad' | 'poison';
}

/** The callee of one call, its stand-ins and its validator, who do as the script says and note how they were called. */
export class Scripted {
  readonly called: Called[] = [];
  /** Those that were read, by the number of their call. */
  private readonly signals = new Map<number, AbortSignal>();
  private primaries = 0;

  constructor(
    private readonly clock: FakeClock,
    private readonly index: number,
    private readonly planned: PlannedCall,
    private readonly leave: () => void,
  ) {}

  readonly callee = (_signal?: AbortSignal): any => {
    const step = stepAt(this.planned.steps, this.primaries);
    this.primaries += 1;
    return this.answer(step, (number) => `p${number}`);
  };

  /** What every signal says in the end; `'any'` where that may be anything. */
  noteSignals(expected: readonly Called[]): void {
    for (const [index, signal] of this.signals) {
      const called = this.called[index] as Called;
      const isFree = expected[index]?.signal === 'any';
      called.signal = isFree ? 'any' : signal.aborted ? labelOf(signal.reason) : 'quiet';
    }
  }

  candidate(index: number): (signal?: unknown) => any {
    const step = this.planned.plan.fallbacks?.candidates[index] as Step;
    const standIn = (): any => this.answer(step, () => `f${index}`);
    return standIn;
  }

  validator(name: string, message: string): Validator<any> {
    const delayMs = this.planned.plan.validation?.delayMs ?? 0;
    const judge = ({ end, label }: Value): boolean => {
      if (end === 'poison') throw choke(`choked on ${label}`);
      return end === 'good';
    };
    const predicate = (value: Value): boolean | Promise<boolean> =>
      delayMs === 0 ? judge(value) : this.after(delayMs, () => judge(value));
    return validator(name, predicate, { message });
  }

  readonly extract = (error: unknown): number | undefined => {
    const hint = error instanceof LimitedError ? error.hint : 'none';
    if (hint === 'throws') throw new Error('no such header');
    if (hint === 'nonsense') return NaN;
    return hint === 'none' ? undefined : hint / 1_000;
  };

  private answer(step: Step, nameOf: (number: number) => string): unknown {
    const { clock, called } = this;
    const attempt = currentAttempt();
    const { number, kind, remainingSeconds, lastError } = attempt;
    const label = `c${this.index}.${nameOf(number)}`;
    const lastLabel = lastError === undefined && number === 1 ? 'none' : labelOf(lastError);
    const remainingMs = remainingSeconds * 1_000;
    const signal = step.listens ? attempt.signal : undefined;
    if (signal !== undefined) this.signals.set(called.length, signal);
    const atMs = clock.monotonicMs();
    called.push({ kind, number, atMs, remainingMs, lastError: lastLabel, signal: 'unread' });
    if (step.abortsAfterMs === 0) this.leave();
    else if (step.abortsAfterMs !== undefined) clock.setTimer(this.leave, step.abortsAfterMs);
    const ended = this.ended(step, label);
    if (signal === undefined) return ended();
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      new Promise((settle) => settle(ended())).then(resolve, reject);
    });
  }

  private ended({ end, afterMs, bare, hint }: Step, label: string): () => unknown {
    if (end === 'hang') return () => new Promise(() => undefined);
    const settle = (): unknown => {
      if (end !== 'good' && end !== 'bad' && end !== 'poison')
        throw scripted(end satisfies ScriptedTag, label, hint);
      return { label, end } satisfies Value;
    };
    if (afterMs > 0) return () => this.after(afterMs, settle);
    return bare ? settle : async () => settle();
  }

  private after<T>(ms: number, settle: () => T): Promise<T> {
    return new Promise<void>((resolve) => void this.clock.setTimer(resolve, ms)).then(settle);
  }
}
