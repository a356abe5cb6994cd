import { isObservable, Observable } from 'rxjs';
import { checkDurationOrZero, errorType, located, refuse } from '../../lib/container.js';
import type { Clock, Duration } from '../../lib/index.js';
import { Outcome, type ScriptedAttempt } from './outcome.js';

/** The attempt gives this value, which then is validated like any other. */
export function succeed(value?: unknown): Outcome {
  return new Outcome('succeed()', () => Promise.resolve(value));
}

/** The attempt fails with this error, the same object each time. */
export function fail(error: unknown): Outcome {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever is to be thrown, as it is
  return new Outcome(`fail(${errorType(error)})`, () => Promise.reject(error));
}

/**
 * The attempt does not end, as if the upstream said nothing, until it is cut: by its timeout, the call's deadline or
 * the caller. Then it rejects with the reason, as a client does that was handed the attempt's signal.
 */
export function hang(): Outcome {
  return new Outcome('hang()', ({ signal }) => new Promise((_, reject) => onAbort(signal, reject)));
}

/** The attempt calls the method itself. */
export function callThrough(): Outcome {
  return new Outcome('callThrough()', (attempt) => attempt.callThrough());
}

/**
 * The attempt ends like this, but not before so much time of the fake clock has passed. `callThrough()` calls the method
 * at once and holds back what it gives; an Observable is subscribed to that much later.
 * @throws {ConfigurationError} for a duration that is none.
 */
export function after(duration: Duration, outcome: Outcome): Outcome {
  const delayMs = located('after()', () => {
    checkOutcome('outcome', outcome);
    if (outcome.isEndless) refuse('outcome', outcome, 'give always(after(…)), the other way round');
    return checkDurationOrZero('duration', duration);
  });
  return new Outcome(`after(${duration}, ${outcome.text})`, (attempt) => delayed(attempt, outcome, delayMs));
}

/** This attempt and all further ones end like this. Nothing can come after it in a script. */
export function always(outcome: Outcome): Outcome {
  located('always()', () => checkOutcome('outcome', outcome));
  return new Outcome(`always(${outcome.text})`, (attempt) => outcome.play(attempt), true);
}

export function checkOutcome(option: string, outcome: unknown): void {
  if (outcome instanceof Outcome) return;
  refuse(option, outcome, 'give succeed(), fail(), hang(), callThrough(), after() or always()');
}

function delayed(attempt: ScriptedAttempt, outcome: Outcome, delayMs: number): unknown {
  const { clock, signal } = attempt;
  const ended = begin(attempt, outcome);
  if (delayMs === 0) return ended;
  if (isObservable(ended)) return subscribedLater(ended, clock, delayMs);
  const promise = Promise.resolve(ended);
  // It may fail long before anybody is told.
  promise.catch(() => undefined);
  return wait(clock, delayMs, signal).then(() => promise);
}

/** What a method throws is its failure like any other, and as late. */
function begin(attempt: ScriptedAttempt, outcome: Outcome): unknown {
  try {
    return outcome.play(attempt);
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever was thrown, as it is
    return Promise.reject(error);
  }
}

function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(resolve, delayMs);
    onAbort(signal, (reason) => {
      timer.cancel();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the signal's, as it is
      reject(reason);
    });
  });
}

/** The signal is this attempt's alone, and goes with it. */
function onAbort(signal: AbortSignal, tell: (reason: unknown) => void): void {
  if (signal.aborted) tell(signal.reason);
  else signal.addEventListener('abort', () => tell(signal.reason), { once: true });
}

function subscribedLater(source: Observable<unknown>, clock: Clock, delayMs: number): Observable<unknown> {
  return new Observable((subscriber) => {
    const timer = clock.setTimer(() => subscriber.add(source.subscribe(subscriber)), delayMs);
    return () => timer.cancel();
  });
}
