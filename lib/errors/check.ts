import { isClock, type Clock } from '../time/clock.js';
import { durationToMs } from '../time/duration.js';
import type { Random } from '../time/random.js';
import { ConfigurationError } from './configuration-error.js';
import { describeValue } from './describe-value.js';
import { nearest } from './nearest.js';

/** A mistake in one option, told the same way everywhere. */
export function refuse(option: string, value: unknown, cure: string): never {
  throw new ConfigurationError({ option, problem: `is ${describeValue(value)}`, cure });
}

/** A duration above zero, in milliseconds. */
export function checkDuration(option: string, value: unknown): number {
  const ms = durationToMs(value);
  if (ms !== undefined && ms > 0) return ms;
  return refuse(
    option,
    value,
    "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
  );
}

/** A duration that may be zero, in milliseconds. */
export function checkDurationOrZero(option: string, value: unknown): number {
  const ms = durationToMs(value);
  if (ms !== undefined) return ms;
  return refuse(
    option,
    value,
    "give seconds as a number of 0 or more, or text such as '250ms', '10s', '5m' or '1h'",
  );
}

/** A whole number of at least `least`. */
export function checkCount(option: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  return refuse(option, value, `give a whole number, ${least} or more`);
}

/** A finite number from `least` to `most`. */
export function checkNumber(option: string, value: unknown, least: number, most = Infinity): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most) return value;
  return refuse(
    option,
    value,
    most === Infinity ? `give a number of ${least} or more` : `give a number from ${least} to ${most}`,
  );
}

/** A text that is not blank. Kept as it is: only the check trims. */
export function checkName(option: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  return refuse(option, value, 'give a text that is not blank');
}

/** A switch that is off unless it is given. */
export function checkFlag(option: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  return refuse(option, value, 'give true or false');
}

export function checkFunction<F>(option: string, value: F): F {
  if (typeof value === 'function') return value;
  return refuse(option, value, 'give a function');
}

/** An object whose entries are all there is to it. A list, a map or a promise would be read as if it were empty. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value) && !('then' in value);
}

/** An object whose keys are all known; a misspelt one is named together with what was probably meant. */
export function checkOptions(option: string, value: unknown, known: readonly string[]): void {
  if (!isRecord(value)) return refuse(option, value, 'give an object of options');
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const cure = meant === undefined ? `the options are ${known.join(', ')}` : `did you mean ${meant}?`;
    throw new ConfigurationError({ option: key, problem: 'is not an option here', cure });
  }
}

/** The time and chance that stand-alone policies and operations take. */
export interface TimeOptions {
  /** Where time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Where chance comes from. Default: `Math.random`. */
  readonly random?: Random | undefined;
}

export function checkTimeOptions({ clock, random }: TimeOptions): void {
  if (clock !== undefined && !isClock(clock))
    refuse('clock', clock, 'give an object with monotonicMs, wallMs and setTimer');
  if (random !== undefined) checkFunction('random', random);
}
