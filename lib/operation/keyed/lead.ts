import { IdempotencyConflictError } from '../../policies/idempotency/idempotency-conflict-error.js';
import { IdempotencyInFlightError } from '../../policies/idempotency/idempotency-in-flight-error.js';
import { IdempotencyResultUnavailableError } from '../../policies/idempotency/idempotency-result-unavailable-error.js';
import { IdempotencyStoreError } from '../../policies/idempotency/idempotency-store-error.js';
import type {
  Claim,
  KeyInFlight,
  KnownOutcome,
  OwnedKey,
} from '../../policies/idempotency/idempotency-store.js';
import { errorType } from '../../report/execution-error.js';
import { CUT } from '../interruptible.js';
import { isPromiseLike } from '../kinds.js';
import { tell } from '../telling.js';
import { Flight, type Arrival } from './flight.js';
import { fly, UNPROTECTED } from './fly.js';
import { isSamePayload } from './is-same-payload.js';
import type { KeyedCall } from './keyed-call.js';
import type { Landing } from './landing.js';
import { waitFor } from './wait-for.js';

/** Nobody in this process is busy with the key of a call: asks the store for it, and executes if that says so. */
export function lead(call: KeyedCall): Arrival | Promise<Arrival> {
  let claim: Claim | PromiseLike<Claim>;
  try {
    claim = ask(call);
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
    claim = Promise.reject<Claim>(error);
  }
  if (isPromiseLike(claim)) return seek(call, claim);
  if (claim.state === 'owned') return fly(call, begin(call), claim);
  return claim.state === 'done' ? replay(call, claim, 'replayed') : seek(call, Promise.resolve(claim));
}

function ask(call: KeyedCall): Claim | PromiseLike<Claim> {
  const { fingerprint, clock, keyed } = call;
  return call.keySpace.store.claim(call.key, {
    fingerprint,
    clock,
    waits: keyed.policy.onInFlight === 'join',
  });
}

function begin(call: KeyedCall): Flight {
  const flight = new Flight(call.fingerprint);
  call.keySpace.flights.set(call.key, flight);
  return flight;
}

/** Asks until the key is owned or its outcome known. Whoever joins meanwhile shares that, or goes on if this call leaves. */
async function seek(call: KeyedCall, asked: PromiseLike<Claim>): Promise<Arrival> {
  const flight = begin(call);
  const { key, keySpace } = call;
  let found: OwnedKey | Landing;
  try {
    found = await find(call, asked);
    // Between the answer and this line, the caller may have gone away.
    if (call.cancelled && 'state' in found) void found.release();
    if (call.cancelled) throw CUT;
  } catch (ending) {
    keySpace.flights.delete(key);
    // Each of those who wait would meet the same broken store, one after the other.
    if (ending instanceof IdempotencyStoreError) flight.fail(ending);
    else flight.land(undefined);
    throw ending;
  }
  if ('state' in found) return fly(call, flight, found);
  keySpace.flights.delete(key);
  flight.land(found);
  return found;
}

async function find(call: KeyedCall, first: PromiseLike<Claim>): Promise<OwnedKey | Landing> {
  let asked = first;
  let hasWaited = false;
  for (;;) {
    const claim = await answerOf(call, asked);
    if (claim.state === 'owned') return claim;
    if (claim.state === 'done') return replay(call, claim, hasWaited ? 'joined' : 'replayed');
    checkPayload(call, claim.fingerprint);
    if (call.keyed.policy.onInFlight === 'reject')
      throw new IdempotencyInFlightError(call.plan.name, call.shownKey);
    hasWaited = true;
    asked = afterChange(call, claim);
  }
}

/** What the store says, or what is done where it fails. */
async function answerOf(call: KeyedCall, asked: PromiseLike<Claim>): Promise<Claim> {
  try {
    return await waitFor(call, asked);
  } catch (error) {
    if (!call.cancelled && call.missedDeadline === undefined) return answerFor(call, error);
    // The answer may still come, and would leave the key with nobody.
    asked.then(
      (late) => late.state === 'owned' && late.release(),
      () => undefined,
    );
    throw error;
  }
}

async function answerFor(call: KeyedCall, error: unknown): Promise<OwnedKey> {
  const runs = call.keyed.policy.onStoreError === 'run';
  await tell(call, 'idempotency.store_failed', call.clock.monotonicMs(), () => ({
    step: 'claim',
    error_type: errorType(error),
    continued: runs,
  }));
  if (runs) return UNPROTECTED;
  throw new IdempotencyStoreError(call.plan.name, error);
}

async function afterChange(call: KeyedCall, inFlight: KeyInFlight): Promise<Claim> {
  const watch = new AbortController();
  call.role = 'joined';
  try {
    await waitFor(call, inFlight.changed(watch.signal));
  } finally {
    watch.abort();
  }
  call.role = undefined;
  return ask(call);
}

/** @throws {IdempotencyConflictError} */
function checkPayload(call: KeyedCall, fingerprint: string | undefined): void {
  if (!isSamePayload(fingerprint, call.fingerprint))
    throw new IdempotencyConflictError(call.plan.name, call.shownKey);
}

/** An earlier outcome, for a call that comes later. */
function replay(
  call: KeyedCall,
  { fingerprint, outcome }: KnownOutcome,
  others: 'joined' | 'replayed',
): Landing {
  checkPayload(call, fingerprint);
  const { unavailable, withoutValue = false } = outcome;
  if (unavailable !== undefined)
    throw new IdempotencyResultUnavailableError(call.plan.name, call.shownKey, unavailable);
  return {
    source: outcome,
    status: 'succeeded',
    rejection: undefined,
    value: undefined,
    master: { value: outcome.value },
    withoutValue,
    others,
    kept: true,
    protected: true,
  };
}
