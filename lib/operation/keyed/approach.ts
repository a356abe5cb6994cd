import type { KeptOutcome, NotKept, OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { isPromiseLike } from '../kinds.js';
import { forgetSource } from '../observable-attempt.js';
import type { Rejection } from '../rejection.js';
import type { Execution } from './execution.js';
import type { Flight } from './flight.js';
import type { KeyedCall } from './keyed-call.js';
import type { KeptAccount } from './kept-account.js';
import type { KeyedPlan, KeySpace } from './keyed-plan.js';
import { Landing, masterOf, type Master } from './landing.js';
import { releaseKey } from './release-key.js';
import { storeFailure, tellAside, type Teller } from './tell-aside.js';
import { UNPROTECTED } from './unprotected.js';

/** From the end of an execution to what all are told. Belongs to no call: whoever executes may have left by then. */
export class Approach {
  private readonly key: string;
  private readonly keySpace: KeySpace;
  private readonly keyed: KeyedPlan;
  private readonly emitters: Teller['emitters'];

  constructor(
    call: KeyedCall,
    private readonly flight: Flight,
    private readonly claim: OwnedKey,
    private readonly execution: Execution,
  ) {
    this.key = call.key;
    this.keySpace = call.keySpace;
    this.keyed = call.keyed;
    this.emitters = call.emitters;
  }

  succeed(value: unknown): Landing | Promise<Landing> {
    const { execution, claim } = this;
    const { policy } = this.keyed;
    const master = masterOf(value, policy.copy);
    if (execution.usedFallback && !policy.cacheFallback) {
      this.release();
      return this.settle(value, master, true);
    }
    const unavailable = master.failure === undefined ? undefined : 'not_encodable';
    const outcome = new Outcome(execution.keptAccount, master.value, execution.hasNoValue, unavailable);
    let kept;
    try {
      kept = claim.complete(outcome, policy.ttlSeconds);
    } catch (error) {
      return this.settleUnkept(value, master, error);
    }
    if (!isPromiseLike(kept)) return this.settleAs(value, master, kept ?? unavailable);
    return Promise.resolve(kept).then(
      (reason) => this.settleAs(value, master, reason ?? unavailable),
      (error: unknown) => this.settleUnkept(value, master, error),
    );
  }

  fail(rejection: Rejection): Landing {
    this.release();
    return this.land(
      new Landing(this.execution, this.execution.status ?? 'failed', this.isProtected, rejection),
    );
  }

  private settleAs(value: unknown, master: Master, reason: NotKept | undefined | void): Landing {
    if (reason !== undefined) tellAside(this.teller, this.execution, 'idempotency.not_kept', { reason });
    return this.settle(value, master, reason === undefined);
  }

  private settleUnkept(value: unknown, master: Master, error: unknown): Landing {
    storeFailure(this.teller, this.execution, 'complete')(error);
    return this.settle(value, master, false);
  }

  private settle(value: unknown, master: Master, kept: boolean): Landing {
    const { execution, isProtected } = this;
    const landing = new Landing(execution.keptAccount, 'succeeded', isProtected);
    landing.value = value;
    landing.master = master;
    landing.kept = kept;
    landing.withoutValue = execution.hasNoValue;
    return this.land(landing);
  }

  private land(landing: Landing): Landing {
    const { flight, execution } = this;
    forgetSource(execution);
    // One that all have left has made room for the next.
    if (!flight.isLeft) this.keySpace.flights.delete(this.key);
    flight.land(landing);
    return landing;
  }

  private release(): void {
    // In memory there is nothing to fail.
    releaseKey(this.claim, (error) => storeFailure(this.teller, this.execution, 'release')(error));
  }

  private get isProtected(): boolean {
    return this.claim !== UNPROTECTED;
  }

  private get teller(): Teller {
    const { name, host } = this.keyed.work;
    return { name, host, emitters: this.emitters };
  }
}

/** What is kept. Its account is made when somebody reads it. */
class Outcome implements KeptOutcome {
  constructor(
    private readonly source: KeptAccount,
    readonly value: unknown,
    readonly withoutValue: boolean,
    readonly unavailable: NotKept | undefined,
  ) {}

  get report(): ExecutionReport {
    return this.source.report;
  }
}
