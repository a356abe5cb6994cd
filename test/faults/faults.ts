import type { Pace } from './flow.js';

/** What becomes of one connection. Without anything said, nothing: all gets through at once. */
export interface Fault extends Pace {
  /** It is accepted, and then this at once; the server hears nothing of it. */
  readonly atConnect?: Ending;
  /** Said in place of the server, which hears nothing; then the connection is closed. */
  readonly answer?: string;
  /** So many bytes of answers get through; then comes the end. */
  readonly bytes?: number;
  /** So many requests get through; the next one meets the end. */
  readonly requests?: number;
  /** How it ends: `'reset'` if nothing is said. */
  readonly then?: Ending;
}

/**
 * - `reset`: by RST.
 * - `close`: by FIN, as if all had been said.
 * - `silence`: nothing more is said, all is read.
 * - `gone`: nothing is said nor read, and no packet tells of it, as when a machine loses its power.
 */
export type Ending = 'reset' | 'close' | 'silence' | 'gone';

/** Answers of {@link Upstream} have fewer bytes of headers than this, and of body more. */
const MID_BODY = 500;

/** The faults that end a request before its time, by their names in titles. */
export const PASSES = {} satisfies Fault;
export const RESET_AT_CONNECT = { atConnect: 'reset' } satisfies Fault;
export const CLOSED_AT_CONNECT = { atConnect: 'close' } satisfies Fault;
export const RESET_IN_HEADERS = { bytes: 40 } satisfies Fault;
export const CLOSED_IN_HEADERS = { bytes: 40, then: 'close' } satisfies Fault;
export const RESET_IN_BODY = { bytes: MID_BODY } satisfies Fault;
export const CLOSED_IN_BODY = { bytes: MID_BODY, then: 'close' } satisfies Fault;
export const GARBAGE = { answer: 'SSH-2.0-OpenSSH_9.6\r\n' } satisfies Fault;
export const STALE = { requests: 1 } satisfies Fault;

/** The faults that only a limit of time ends. */
export const BLACK_HOLE = { atConnect: 'silence' } satisfies Fault;
export const GONE_AT_CONNECT = { atConnect: 'gone' } satisfies Fault;
export const GONE_IN_BODY = { bytes: MID_BODY, then: 'gone' } satisfies Fault;
export const ONE_BYTE_A_SECOND = { partBytes: 1, everyMs: 1_000 } satisfies Fault;
/** 20 kB a second. */
export const NARROW = { partBytes: 200, everyMs: 10 } satisfies Fault;
export const late = (latencyMs: number) => ({ latencyMs }) satisfies Fault;
