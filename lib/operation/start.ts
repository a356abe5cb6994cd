import { globalSlot } from '../errors/global-slot.js';
import { Call } from './call.js';
import type { CallForm } from './call-form.js';
import { execute } from './execution.js';
import { KeyedCall } from './keyed/keyed-call.js';
import { executeKeyed } from './keyed/keyed-execution.js';
import type { Plan } from './plan.js';

/** Links a promise to the call that made it. A property, as a WeakMap would cost ten times as much. */
const CALL = Symbol.for('relprim/call');

const REFUSED = Symbol.for('relprim/refused-start');

/** What `resultOf` wants to know of the operations that start while it calls a function. */
export interface StartWatch {
  /** The signal that ends what starts. */
  readonly signal: AbortSignal | undefined;
  /** Outermost operations, in the order of their start. */
  readonly calls: Call[];
}

const slot = globalSlot('start', (): { watch: StartWatch | undefined } => ({ watch: undefined }));

/** Calls an operation. Never throws: whatever goes wrong is a rejection. */
export function start(
  plan: Plan,
  self: unknown,
  args: readonly unknown[],
  form: CallForm,
  signal?: AbortSignal,
): Promise<unknown> {
  return launch(newCall(plan, self, args, form), signal);
}

/** A call that has not begun yet. */
export function newCall(plan: Plan, self: unknown, args: readonly unknown[], form: CallForm): Call {
  return plan.keyed === undefined ? new Call(plan, self, args, form) : new KeyedCall(plan, self, args, form);
}

/** Runs a call that has not begun yet. */
export function launch(call: Call, signal: AbortSignal | undefined): Promise<unknown> {
  const { watch } = slot;
  if (watch === undefined) return linked(run(call, signal), call);
  watch.calls.push(call);
  // What this operation starts is part of it, not one more.
  slot.watch = undefined;
  try {
    return linked(run(call, signal, watch.signal), call);
  } finally {
    slot.watch = watch;
  }
}

function run(call: Call, signal?: AbortSignal, watchSignal?: AbortSignal): Promise<unknown> {
  const { probe } = call.plan;
  if (probe?.launch === undefined) return begin(call, signal, watchSignal);
  return probe.launch(call, () => begin(call, signal, watchSignal));
}

function begin(call: Call, signal?: AbortSignal, watchSignal?: AbortSignal): Promise<unknown> {
  return call.plan.keyed === undefined
    ? execute(call, signal, watchSignal)
    : executeKeyed(call as KeyedCall, signal, watchSignal);
}

/** Runs a function and notes which operations it starts in its synchronous part. */
export function watchStarts<T>(watch: StartWatch, run: () => T): T {
  const outer = slot.watch;
  slot.watch = watch;
  try {
    return run();
  } finally {
    slot.watch = outer;
  }
}

/** The promise of a call that could not even start, as its options are wrong. */
export function refusedStart(error: unknown): Promise<never> {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
  const promise = Promise.reject(error);
  return Object.assign(promise, { [REFUSED]: true });
}

export function isRefusedStart(promise: unknown): promise is Promise<never> {
  return (promise as { [REFUSED]?: true } | null | undefined)?.[REFUSED] === true;
}

/** The call that made a promise, or `undefined`. */
export function callOf(promise: unknown): Call | undefined {
  return (promise as { [CALL]?: Call } | undefined)?.[CALL];
}

function linked(promise: Promise<unknown>, call: Call): Promise<unknown> {
  (promise as { [CALL]?: Call })[CALL] = call;
  return promise;
}
