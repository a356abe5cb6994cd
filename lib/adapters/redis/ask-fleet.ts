import { SYNC } from './breaker-scripts.js';
import type { FleetMember, FleetReply, Tidings } from './fleet-member.js';
import type { RedisConnection } from './redis-connection.js';

/** The word of a process counts for so many intervals: one that has vanished is forgotten. */
const WORD_INTERVALS = 4;

/** Who asks, and by which numbers. */
export interface Asker {
  readonly connection: RedisConnection;
  readonly replica: string;
  readonly intervalMs: number;
  readonly quorum: number;
}

/** Tells the others what a process knows of one breaker. Gives what they have come to. `number`: of its messages. */
export async function askFleet(
  { connection, replica, intervalMs, quorum }: Asker,
  key: string,
  member: FleetMember,
  { wants, outcome }: Tidings,
  number: number,
): Promise<FleetReply> {
  const word = member.breaker.word();
  const args = [
    replica,
    Math.ceil(intervalMs * WORD_INTERVALS),
    member.epoch,
    word.votesOpen ? 1 : 0,
    word.calls,
    word.failures,
    quorum,
    word.failureRate,
    word.minimumCalls,
    word.recovery.initialMs,
    word.recovery.factor,
    word.recovery.maxMs,
    word.recovery.jitter,
    word.chance,
    word.failedProbes,
    word.openForMs === undefined ? -1 : Math.ceil(word.openForMs),
    wants ? 1 : 0,
    Math.ceil(word.leaseMs),
    word.concurrentProbes,
    outcome,
    number,
  ];
  const reply = (await connection.run(SYNC, key, args)) as unknown[];
  const [epoch = 0, waitMs = -1, leaseMs = 0, replicas = 1, , waiting = 0, failedProbes = 0] =
    reply.map(Number);
  return {
    epoch,
    waitMs: waitMs < 0 ? undefined : waitMs,
    leaseMs,
    replicas,
    othersWait: waiting > 0,
    failedProbes,
  };
}
