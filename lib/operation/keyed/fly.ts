import type { OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import { execute } from '../execution.js';
import type { Rejection } from '../rejection.js';
import { Approach } from './approach.js';
import { Execution } from './execution.js';
import type { Arrival, Flight } from './flight.js';
import type { KeyedCall } from './keyed-call.js';
import type { Landing } from './landing.js';
import { leave } from './leave.js';
import { runInside } from './reentry.js';

/** The key is owned: executes, and keeps what comes of it. */
export function fly(call: KeyedCall, flight: Flight, claim: OwnedKey): Promise<Arrival> {
  const { keyed } = call;
  const execution = new Execution(
    keyed.work,
    call.self,
    call.args,
    call.startMs,
    call.mayLeave,
    call.givenKey,
  );
  // A sink that is itself an operation may have waited for its key, and is not telling any more.
  execution.emitters = call.emitters;
  execution.knownAs = call.earlyId;
  // Asking for the key is part of the call, not of its first attempt.
  if (call.hasWaited) execution.restartClock();
  call.execution = execution;
  keyed.work.probe?.execute?.(call, execution);
  call.role = 'executed';
  flight.takeOff(execution, claim);
  const run = keyed.policy.detectReentry ? runInside(flight, execute, execution) : execute(execution);
  flight.run = run;
  const approach = new Approach(call, flight, claim, execution);
  const landing = run.then(
    (value) => approach.succeed(value),
    (rejection: Rejection) => approach.fail(rejection),
  );
  return call.mayLeave ? untilLanded(call, flight, landing) : landing;
}

/** The one who executes may leave; what runs goes on as long as anybody waits for it. */
async function untilLanded(call: KeyedCall, flight: Flight, landing: Promise<Landing>): Promise<Landing> {
  try {
    const landed = await call.untilCut(landing);
    call.stopWaiting();
    return landed;
  } catch (cut) {
    await leave(call, flight, cut);
    throw cut;
  }
}
