/** What an upstream does to a request. */
export type Fault =
  /** Nothing: a good answer within a few milliseconds. */
  | 'none'
  /** The good answer, when nobody waits for it any more. */
  | 'slow'
  | 'status 500'
  | 'status 429'
  /** The connection is reset instead of an answer. */
  | 'reset'
  /** The connection ends in the middle of the answer. */
  | 'half body'
  | 'invalid JSON'
  /** Good JSON that says nothing useful. */
  | 'wrong value'
  /** Every connection is closed without an answer. A closed port would look the same, but could not count. */
  | 'down';

/** A stretch of requests that meet the same fault. */
export interface Phase {
  readonly requests: number;
  readonly fault: Fault;
  /** Only every so many requests of the phase meet it, the last one among them; the others are answered well. */
  readonly every?: number;
}

/** The request of the first round that a later one is like, where the schedule begins again after its last phase. */
export function inRound(phases: readonly Phase[], requestNumber: number): number {
  const round = phases.reduce((sum, { requests }) => sum + requests, 0);
  return round === 0 ? requestNumber : ((requestNumber - 1) % round) + 1;
}

/** What happens to a request, by its number; the first one is 1. After the last phase all is well. */
export function faultOf(phases: readonly Phase[], requestNumber: number): Fault {
  let before = 0;
  for (const { requests, fault, every = 1 } of phases) {
    const inPhase = requestNumber - before;
    if (inPhase <= requests) return inPhase % every === 0 ? fault : 'none';
    before += requests;
  }
  return 'none';
}
