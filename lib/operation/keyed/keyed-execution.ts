import { IdempotencyConflictError } from '../../policies/idempotency/idempotency-conflict-error.js';
import { IdempotencyInFlightError } from '../../policies/idempotency/idempotency-in-flight-error.js';
import { IdempotencyReentryError } from '../../policies/idempotency/idempotency-reentry-error.js';
import { conclude } from '../conclusion.js';
import { CUT } from '../interruptible.js';
import type { Arrival, Flight } from './flight.js';
import type { KeyedCall } from './keyed-call.js';
import { arrive, type Landing } from './landing.js';
import { isSamePayload } from './is-same-payload.js';
import { lead } from './lead.js';
import { concludeKeyed } from './conclude-keyed.js';
import { leave } from './leave.js';
import { isInside } from './reentry.js';
import { waitFor } from './wait-for.js';

/*
 * Of all calls with one key, one executes. The others wait for it, or come later and are given what came of it.
 *
 * In this process they meet at a flight, which belongs to nobody: whoever leads it asks the store for the key and
 * executes, and may leave like everybody else. What leads is always a call that still waits, so that work runs in the
 * async context, and with the arguments, of somebody who wants it.
 */

/** Runs a call that has a key. Never throws: whatever goes wrong is a rejection. */
export function executeKeyed(
  call: KeyedCall,
  ownSignal?: AbortSignal,
  watchSignal?: AbortSignal,
): Promise<unknown> {
  try {
    call.begin(ownSignal, watchSignal);
    call.identify();
  } catch (ending) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever ended it, as it is
    return Promise.reject(conclude(call, ending));
  }
  return travel(call);
}

/** Not an async function: a call that boards at once is spared a promise or two. */
function travel(call: KeyedCall): Promise<unknown> {
  let boarded: Landing | Promise<Arrival>;
  try {
    // The function that finds the key, or whoever led before, may have let the caller go away.
    call.stopWaiting();
    boarded = board(call);
  } catch (ending) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever ended it, as it is
    return Promise.reject(concludeKeyed(call, ending));
  }
  if (!(boarded instanceof Promise)) return replayed(call, boarded);
  return boarded.then(
    (landing) => (landing === undefined ? travel(call) : end(call, landing)),
    (ending: unknown) => {
      throw concludeKeyed(call, ending);
    },
  );
}

function replayed(call: KeyedCall, landing: Landing): Promise<unknown> {
  try {
    return Promise.resolve(end(call, landing));
  } catch (rejection) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
    return Promise.reject(rejection);
  }
}

function end(call: KeyedCall, landing: Landing): unknown {
  if (call.cancelled) throw concludeKeyed(call, CUT);
  return arrive(call, landing);
}

/** Finds out what becomes of a call. Nothing where somebody who led has left, so that it must be asked again. */
function board(call: KeyedCall): Landing | Promise<Arrival> {
  const flight = call.keySpace.flights.get(call.key);
  if (flight === undefined) return lead(call);
  if (call.keyed.policy.detectReentry && isInside(flight))
    throw new IdempotencyReentryError(call.plan.name, call.shownKey);
  return join(call, flight);
}

async function join(call: KeyedCall, flight: Flight): Promise<Arrival> {
  const { policy } = call.keyed;
  const differs = !isSamePayload(flight.fingerprint, call.fingerprint);
  // Whoever leads may still learn that the key belongs to other work, or that it is done.
  if (flight.isSeeking && (differs || policy.onInFlight === 'reject')) {
    const { seekings } = flight;
    const seat = seekings.add();
    await waitFor(call, seat.promise).finally(() => seekings.remove(seat));
    return undefined;
  }
  if (differs) throw new IdempotencyConflictError(call.plan.name, call.shownKey);
  if (policy.onInFlight === 'reject') throw new IdempotencyInFlightError(call.plan.name, call.shownKey);
  flight.waiters += 1;
  const { landings } = flight;
  const seat = landings.add();
  try {
    call.role = 'joined';
    const arrival = await waitFor(call, seat.promise);
    call.role = undefined;
    return arrival;
  } catch (cut) {
    landings.remove(seat);
    await leave(call, flight, cut);
    throw cut;
  }
}
