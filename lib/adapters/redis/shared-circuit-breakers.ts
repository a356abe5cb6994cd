import type { EventEmitter } from '../../events/event-emitter.js';
import { StructuredEvent } from '../../events/structured-event.js';
import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { Clock, Timer } from '../../time/clock.js';
import { LEAVE, SYNC } from './breaker-scripts.js';
import { FleetMember, type FleetReply, type Tidings } from './fleet-member.js';
import type { RedisConnection } from './redis-connection.js';

/** `shared`: the others are heard. `alone`: they are not, now or not yet, and each process goes by itself. */
export type SharingState = 'shared' | 'alone';

/** What sharing needs, checked. */
export interface SharingSettings {
  readonly connection: RedisConnection;
  /** Asked at each interval: more may come while an application starts. */
  readonly breakers: () => readonly CircuitBreaker[];
  readonly quorum: number;
  readonly intervalMs: number;
  readonly prefix: string;
  readonly replica: string;
  readonly clock: Clock;
  readonly events: EventEmitter | undefined;
  readonly onChange: ((state: SharingState) => unknown) | undefined;
}

/** The word of a process counts for so many intervals: one that has vanished is forgotten. */
const WORD_INTERVALS = 4;
/** After two intervals without an answer a process goes by itself; timers are never quite on time. */
const SILENT_INTERVALS = 1.5;
/** News are told so much sooner than at the next interval. */
const SOON = 1 / 10;

/** The breakers of one process, shared with others. */
export class SharedCircuitBreakers {
  private readonly members: FleetMember[] = [];
  private current: SharingState = 'alone';
  private timer: Timer | undefined;
  private dueMs = Infinity;
  private heardMs = -Infinity;
  private isAsking = false;
  private hasNews = false;
  private hasStopped = false;
  private messages = 0;
  private seenReplicas = 0;

  /** Use `shareCircuitBreakers()`. */
  constructor(private readonly settings: SharingSettings) {}

  get state(): SharingState {
    return this.current;
  }

  /** How many processes shared the breakers when they were last heard of, this one included. */
  get replicas(): number {
    return this.current === 'shared' ? this.seenReplicas : 1;
  }

  /** @internal */
  begin(): void {
    void this.sync();
  }

  /** Leaves the others: from here on each breaker goes by itself. */
  async stop(): Promise<void> {
    if (this.hasStopped) return;
    this.hasStopped = true;
    this.current = 'alone';
    this.timer?.cancel();
    for (const member of this.members) member.leave();
    const { connection, replica } = this.settings;
    const left = this.members.map(({ breaker }) => connection.run(LEAVE, this.keyOf(breaker), [replica]));
    await Promise.allSettled(left);
  }

  /** NestJS calls this where it is a provider. */
  onApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private keyOf({ name }: CircuitBreaker): string {
    return this.settings.prefix + name;
  }

  private soon(): void {
    const { clock, intervalMs } = this.settings;
    if (this.isAsking) this.hasNews = true;
    // News that follow each other closely must not put it off for ever.
    else if (clock.monotonicMs() + intervalMs * SOON < this.dueMs) this.schedule(intervalMs * SOON);
  }

  private schedule(delayMs: number): void {
    this.timer?.cancel();
    if (this.hasStopped) return;
    this.dueMs = this.settings.clock.monotonicMs() + delayMs;
    this.timer = this.settings.clock.setTimer(() => void this.sync(), delayMs);
    this.timer.unref?.();
  }

  /** Tells what each breaker knows, and does as the fleet has decided. Never throws. */
  private async sync(): Promise<void> {
    const { clock, intervalMs } = this.settings;
    this.isAsking = true;
    this.hasNews = false;
    const startMs = clock.monotonicMs();
    this.welcome();
    const heard = await Promise.all(this.members.map((member) => this.exchange(member)));
    this.isAsking = false;
    if (this.hasStopped) return;
    const nowMs = clock.monotonicMs();
    if (heard.every((answered) => answered)) this.hear(nowMs);
    else if (nowMs - this.heardMs >= SILENT_INTERVALS * intervalMs) this.turn('alone');
    const restMs = Math.max(0, intervalMs - (nowMs - startMs));
    this.schedule(this.hasNews ? Math.min(restMs, intervalMs * SOON) : restMs);
  }

  private welcome(): void {
    const { breakers, clock } = this.settings;
    for (const breaker of breakers()) {
      if (this.members.some((member) => member.breaker === breaker)) continue;
      const member = new FleetMember(breaker, clock, () => this.soon());
      this.members.push(member);
      member.join(this.current === 'shared');
    }
  }

  private hear(nowMs: number): void {
    this.heardMs = nowMs;
    // What they have come to is asked for once it counts.
    if (this.current === 'alone') this.hasNews = true;
    this.turn('shared');
  }

  private async exchange(member: FleetMember): Promise<boolean> {
    const { clock, intervalMs } = this.settings;
    const sentMs = clock.monotonicMs();
    const tidings = member.tidings(intervalMs);
    try {
      const reply = await this.ask(member, tidings);
      if (!this.hasStopped && this.current === 'shared') member.apply(reply, sentMs, tidings.outcome);
      return true;
    } catch {
      return false;
    }
  }

  private async ask(member: FleetMember, { wants, outcome }: Tidings): Promise<FleetReply> {
    const { connection, replica, intervalMs, quorum } = this.settings;
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
      Math.ceil(word.recoveryMs),
      wants ? 1 : 0,
      Math.ceil(word.leaseMs),
      word.concurrentProbes,
      outcome,
      (this.messages += 1),
    ];
    const reply = (await connection.run(SYNC, this.keyOf(member.breaker), args)) as unknown[];
    const [epoch = 0, waitMs = -1, leaseMs = 0, replicas = 1, , waiting = 0] = reply.map(Number);
    this.seenReplicas = replicas;
    return { epoch, waitMs: waitMs < 0 ? undefined : waitMs, leaseMs, othersWait: waiting > 0 };
  }

  private turn(state: SharingState): void {
    if (state === this.current) return;
    this.current = state;
    for (const member of this.members) member.join(state === 'shared');
    this.announce(state);
  }

  /** What a listener or a sink does wrong is no reason to stop sharing. */
  private announce(state: SharingState): void {
    const { events, onChange, clock } = this.settings;
    const event = new StructuredEvent({
      eventType: 'circuit_breaker.sharing_changed',
      operationName: 'circuit_breakers',
      timestamp: new Date(clock.wallMs()),
      payload: { shared: state === 'shared', breaker_count: this.members.length },
    });
    attempt(() => events?.tell(event));
    attempt(() => onChange?.(state));
  }
}

function attempt(tell: () => unknown): void {
  try {
    const told = tell();
    if (told instanceof Promise) told.catch(() => undefined);
  } catch {
    // Nobody can be told.
  }
}
