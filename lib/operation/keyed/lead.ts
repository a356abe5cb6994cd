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
import { describeValue } from '../../errors/describe-value.js';
import { errorType } from '../../report/execution-error.js';
import { CUT } from '../interruptible.js';
import { isPromiseLike } from '../kinds.js';
import { tell } from '../tell.js';
import { Flight, type Arrival } from './flight.js';
import { fly } from './fly.js';
import { isSamePayload } from './is-same-payload.js';
import type { KeyedCall } from './keyed-call.js';
import { Landing } from './landing.js';
import { releaseKey } from './release-key.js';
import { storeFailure } from './tell-aside.js';
import { UNPROTECTED } from './unprotected.js';
import { waitFor } from './wait-for.js';

/** Nobody in this process is busy with the key of a call: asks the store for it, and executes if that says so. */
export function lead(call: KeyedCall): Landing | Promise<Arrival> {
  let claim: Claim | PromiseLike<Claim>;
  try {
    claim = ask(call);
    if (!isPromiseLike(claim)) checkClaim(claim);
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
    claim = Promise.reject<Claim>(error);
  }
  // The store itself may have let the caller go away.
  if (isPromiseLike(claim) || call.cancelled) return seek(call, Promise.resolve(claim));
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
async function seek(call: KeyedCall, asked: Promise<Claim>): Promise<Arrival> {
  const flight = begin(call);
  const { key, keySpace } = call;
  let found: OwnedKey | Landing;
  try {
    found = await find(call, asked);
    // Between the answer and this line, the caller may have gone away.
    if (call.cancelled && 'state' in found) giveBack(call)(found);
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

async function find(call: KeyedCall, asked: Promise<Claim>): Promise<OwnedKey | Landing> {
  let claim = await answerOf(call, asked);
  let hasWaited = false;
  while (claim.state !== 'owned') {
    if (claim.state === 'done') return replay(call, claim, hasWaited ? 'joined' : 'replayed');
    checkPayload(call, claim.fingerprint);
    if (call.keyed.policy.onInFlight === 'reject')
      throw new IdempotencyInFlightError(call.plan.name, call.shownKey);
    hasWaited = true;
    claim = await answerAfterChange(call, claim);
  }
  return claim;
}

/** What the store says, or what is done where it fails. */
async function answerOf(call: KeyedCall, asked: Promise<Claim>): Promise<Claim> {
  try {
    return checkClaim(await waitFor(call, asked));
  } catch (error) {
    if (!call.cancelled && call.missedDeadline === undefined) return answerFor(call, error);
    // The answer may still come, and would leave the key with nobody.
    asked.then(giveBack(call), () => undefined);
    throw error;
  }
}

/** Gives what frees a key that its caller does not want any more. */
function giveBack(call: KeyedCall): (claim: Claim) => void {
  const { emitters } = call;
  const { name, host } = call.plan;
  const complain = storeFailure({ name, host, emitters }, call, 'release');
  return (claim) => {
    if ((claim as Claim | undefined)?.state === 'owned') releaseKey(claim as OwnedKey, complain);
  };
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

async function answerAfterChange(call: KeyedCall, inFlight: KeyInFlight): Promise<Claim> {
  let asked: Promise<Claim>;
  try {
    await untilChanged(call, inFlight);
    asked = Promise.resolve(ask(call));
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
    asked = Promise.reject<Claim>(error);
  }
  return answerOf(call, asked);
}

async function untilChanged(call: KeyedCall, inFlight: KeyInFlight): Promise<void> {
  const watch = new AbortController();
  call.role = 'joined';
  try {
    await waitFor(call, inFlight.changed(watch.signal));
  } finally {
    watch.abort();
  }
  call.role = undefined;
}

/** @throws {TypeError} for something that no store should answer. */
function checkClaim(claim: Claim): Claim {
  if (STATES.has((claim as Claim | undefined | null)?.state)) return claim;
  throw new TypeError(
    `the store was asked for a key and answered ${describeValue(claim)}, which is no claim`,
  );
}

const STATES = new Set<unknown>(['owned', 'done', 'in_flight'] satisfies Claim['state'][]);

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
  const landing = new Landing(outcome, 'succeeded');
  landing.master = { value: outcome.value, failure: undefined };
  landing.withoutValue = withoutValue;
  landing.others = others;
  return landing;
}
