import type {
  Claim,
  ClaimRequest,
  IdempotencyStore,
  KeptOutcome,
  KeyInFlight,
  KnownOutcome,
  OwnedKey,
} from '../../lib/index.js';
import { ExecutionAttempt, ExecutionReport } from '../../lib/index.js';

type Answer = (request: ClaimRequest) => Claim | Promise<Claim>;

/** A store outside the process that answers by a script; its last answer is repeated. Notes what it is asked. */
export class RemoteStore implements IdempotencyStore {
  readonly keys: string[] = [];
  readonly kept: KeptOutcome[] = [];
  releases = 0;
  private readonly answers: readonly Answer[];

  constructor(...answers: Answer[]) {
    this.answers = answers;
  }

  claim(key: string, request: ClaimRequest): Claim | Promise<Claim> {
    this.keys.push(key);
    const answer = this.answers[Math.min(this.keys.length, this.answers.length) - 1];
    return (answer as Answer)(request);
  }

  /** The key is for whoever asks. */
  readonly owned = (change: Partial<OwnedKey> = {}): OwnedKey => ({
    state: 'owned',
    complete: (outcome) => Promise.resolve(void this.kept.push(outcome)),
    release: () => Promise.resolve(void (this.releases += 1)),
    ...change,
  });
}

/** An account from somewhere else. */
export const ELSEWHERE = new ExecutionReport({
  operationName: 'op',
  status: 'succeeded',
  startedAt: new Date('2025-12-31T23:59:00Z'),
  durationSeconds: 3,
  attempts: [
    new ExecutionAttempt({
      attemptNumber: 1,
      status: 'succeeded',
      startedAt: new Date('2025-12-31T23:59:00Z'),
      durationSeconds: 3,
    }),
  ],
  callId: 'elsewhere',
});

export function done(value: unknown, change: Partial<KnownOutcome['outcome']> = {}): KnownOutcome {
  return { state: 'done', fingerprint: undefined, outcome: { value, report: ELSEWHERE, ...change } };
}

/** Somebody else executes; `changed` says when it is worth asking again. */
export function inFlight(changed: KeyInFlight['changed'], fingerprint?: string): KeyInFlight {
  return { state: 'in_flight', fingerprint, changed };
}
