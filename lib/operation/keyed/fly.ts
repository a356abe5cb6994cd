import type { KeptOutcome, NotKept, OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { execute } from '../execution.js';
import { isPromiseLike } from '../kinds.js';
import type { Rejection } from '../rejection.js';
import { Execution } from './execution.js';
import type { Arrival, Flight } from './flight.js';
import type { KeyedCall } from './keyed-call.js';
import { masterOf, type Landing } from './landing.js';
import { leave } from './leave.js';
import { runInside } from './reentry.js';
import { releaseKey } from './release-key.js';
import { storeFailure, tellAside, type Teller } from './tell-aside.js';
import { UNPROTECTED } from './unprotected.js';

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
  call.execution = execution;
  call.role = 'executed';
  flight.takeOff(execution, claim);
  const run = keyed.policy.detectReentry ? runInside(flight, () => execute(execution)) : execute(execution);
  flight.run = run;
  const landing = land(call, flight, claim, execution, run);
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

/** Belongs to no call: whoever executes may have left by then. */
function land(
  call: KeyedCall,
  flight: Flight,
  claim: OwnedKey,
  execution: Execution,
  run: Promise<unknown>,
): Promise<Landing> {
  const { key, keySpace } = call;
  const { policy, work } = call.keyed;
  const teller: Teller = { name: work.name, host: work.host, emitters: call.emitters };
  const common = { source: execution, others: 'joined', protected: claim !== UNPROTECTED } as const;

  const settle = (landing: Landing): Landing => {
    // One that all have left has made room for the next.
    if (keySpace.flights.get(key) === flight) keySpace.flights.delete(key);
    flight.land(landing);
    return landing;
  };
  const notKept = (reason: NotKept): void => tellAside(teller, execution, 'idempotency.not_kept', { reason });
  const release = (): void => releaseKey(claim, storeFailure(teller, execution, 'release'));

  const succeed = (value: unknown): Landing | Promise<Landing> => {
    const master = masterOf(value, policy.copy);
    const withoutValue = execution.hasNoValue;
    const landing = (kept: boolean): Landing => ({
      ...common,
      status: 'succeeded',
      rejection: undefined,
      value,
      master,
      withoutValue,
      kept,
    });
    if (execution.usedFallback && !policy.cacheFallback) {
      release();
      return settle(landing(true));
    }
    const unavailable = master.failure === undefined ? undefined : 'not_encodable';
    const outcome = new Outcome(execution, master.value, withoutValue, unavailable);
    const settleAs = (reason: NotKept | undefined | void): Landing => {
      const why = reason ?? unavailable;
      if (why !== undefined) notKept(why);
      return settle(landing(why === undefined));
    };
    const settleAfter = (error: unknown): Landing => {
      storeFailure(teller, execution, 'complete')(error);
      return settle(landing(false));
    };
    try {
      const kept = claim.complete(outcome, policy.ttlSeconds);
      return isPromiseLike(kept) ? Promise.resolve(kept).then(settleAs, settleAfter) : settleAs(kept);
    } catch (error) {
      return settleAfter(error);
    }
  };

  const fail = (rejection: unknown): Landing => {
    release();
    return settle({
      ...common,
      status: execution.status ?? 'failed',
      rejection: rejection as Rejection,
      value: undefined,
      master: undefined,
      withoutValue: false,
      kept: true,
    });
  };
  return run.then(succeed, fail);
}

/** What is kept. Its account is made when somebody reads it. */
class Outcome implements KeptOutcome {
  constructor(
    private readonly source: Execution,
    readonly value: unknown,
    readonly withoutValue: boolean,
    readonly unavailable: NotKept | undefined,
  ) {}

  get report(): ExecutionReport {
    return this.source.report;
  }
}
