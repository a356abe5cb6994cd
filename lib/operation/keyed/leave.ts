import type { OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import type { Flight } from './flight.js';
import type { KeyedCall } from './keyed-call.js';
import { UNPROTECTED } from './unprotected.js';

/**
 * A call no longer waits for a flight. The last one to leave ends what runs, unless somebody in another process waits
 * for it; then this waits until it has ended, as its account is that of the call, too.
 */
export async function leave(call: KeyedCall, flight: Flight, cut: unknown): Promise<void> {
  flight.waiters -= 1;
  const { execution, claim, run } = flight;
  if (flight.waiters > 0 || execution === undefined || execution.status !== undefined) return;
  const { key } = call;
  const { flights } = call.keySpace;
  const reason = call.cancelled ? call.cancelReason : cut;
  const end = (): void => {
    if (flight.waiters > 0 || flight.isLeft || flight.landed || execution.status !== undefined) return;
    // Whoever comes from now on executes anew.
    flight.isLeft = true;
    flights.delete(key);
    execution.cancel(reason);
  };
  if (claim?.untilUnawaited !== undefined) return void untilUnawaited(claim).then(end, end);
  end();
  await run?.catch(() => undefined);
  // One whose time is over has an account of that.
  if (call.cancelled) call.accountOf({ source: execution, kept: true, isProtected: claim !== UNPROTECTED });
}

/** Rejects where the store throws. */
async function untilUnawaited(claim: OwnedKey): Promise<void> {
  await claim.untilUnawaited?.();
}
