import type { Gate } from '../attempt/gate.js';
import { Waiter } from '../attempt/waiting-line.js';
import { findBreaker } from './ask-breaker.js';
import type { Call } from './call.js';
import type { Guard } from './guard.js';
import { CUT } from './interruptible.js';
import { tell } from './tell.js';

/**
 * Lets the attempt that was opened pass its gates: the rate of a shield, then a place in a concurrency limit. A promise
 * only where it has to wait.
 * @throws the refusal, which is the failure of the attempt; `CUT` when the call is ended in line.
 */
export function admit(call: Call, guard: Guard): Promise<void> | undefined {
  const { shield } = guard;
  if (call.plan.hasBreaker && findBreaker(call).waitMs() !== 0) {
    // Nobody queues for a refusal. A moment later it may be none, and then the attempt has its timeout.
    guard.begin(call.clock);
    return undefined;
  }
  const nowMs = call.attemptStartMs;
  if (shield !== undefined) {
    if (!shield.gate.tryEnter(nowMs))
      return queue(call, guard, shield.gate).then(() => {
        guard.holdsTurn = true;
        return enterLimit(call, guard);
      });
    guard.holdsTurn = true;
  }
  return enterLimit(call, guard);
}

function enterLimit(call: Call, guard: Guard): Promise<void> | undefined {
  const { limit } = guard;
  if (limit === undefined || limit.tryEnter(call.attemptStartMs)) {
    guard.inside = limit;
    guard.begin(call.clock);
    return undefined;
  }
  const waitedBeforeMs = guard.attemptWaitedMs;
  return queue(call, guard, limit).then(() => {
    guard.inside = limit;
    guard.begin(call.clock);
    const waited_seconds = (guard.attemptWaitedMs - waitedBeforeMs) / 1_000;
    const { attemptNumber: attempt_number } = call;
    return tell(call, 'concurrency_limit.waited', call.attemptStartMs, () => ({
      attempt_number,
      limit_name: limit.name,
      waited_seconds,
    }));
  });
}

/** @throws the refusal; `CUT` when the call is ended meanwhile, which gives the place to the next one. */
async function standInLine(call: Call, gate: Gate, startMs: number): Promise<void> {
  if (call.cancelled) throw CUT;
  const { clock } = call;
  let waiter: Waiter | undefined;
  const entered = new Promise<void>((admit, refuse) => {
    waiter = new Waiter(clock, admit, refuse);
    gate.wait(waiter, startMs);
  });
  call.phase = 'wait';
  try {
    await call.untilCut(entered);
    call.stopWaiting();
  } catch (error) {
    if (error === CUT && waiter !== undefined) leave(gate, waiter, clock.monotonicMs());
    throw error;
  } finally {
    call.phase = 'between';
  }
}

/** It may have been let in at the very moment at which the call was ended. */
function leave(gate: Gate, waiter: Waiter, nowMs: number): void {
  if (!gate.leave(waiter, nowMs)) gate.giveBack(nowMs);
}

/** Stands in line. What comes then begins now. */
async function queue(call: Call, guard: Guard, gate: Gate): Promise<void> {
  const { clock } = call;
  const { shutdown } = call.plan.host;
  const startMs = clock.monotonicMs();
  shutdown?.enter(call, call.trouble?.failure);
  try {
    await standInLine(call, gate, startMs);
  } catch (error) {
    if (error !== CUT) guard.refusal = error;
    throw error;
  } finally {
    shutdown?.leave(call);
    call.restartClock();
    const waitedMs = call.attemptStartMs - startMs;
    guard.attemptWaitedMs += waitedMs;
    guard.waitedMs += waitedMs;
  }
}
