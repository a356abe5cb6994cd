import type { EventEmitter } from '../../events/event-emitter.js';
import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { Clock, Timer } from '../../time/clock.js';
import { askFleet } from './ask-fleet.js';
import { LEAVE } from './breaker-scripts.js';
import { FleetEvents, type SharingState } from './fleet-events.js';
import { FleetMember } from './fleet-member.js';
import type { RedisConnection } from './redis-connection.js';
import { Silence } from './silence.js';

/** What sharing needs, checked. */
export interface SharingSettings {
  readonly connection: RedisConnection;
  /** Asked each time: more may come while an application starts. */
  readonly breakers: () => readonly CircuitBreaker[];
  readonly quorum: number;
  readonly intervalMs: number;
  readonly prefix: string;
  readonly replica: string;
  readonly clock: Clock;
  readonly events: EventEmitter | undefined;
  readonly onChange: ((state: SharingState) => unknown) | undefined;
}

/** Asked so often in an interval, a process that hears nothing for one of them has asked in vain. */
const TIMES = 2;
/** News are told within this part of an interval. */
const SOON = 1 / 10;
/** Of each breaker. More would only wait in the client, which may keep them for a server that is away for hours. */
const MOST_UNSETTLED = 10;

/** The breakers of one process, shared with others. */
export class SharedCircuitBreakers {
  private readonly members = new Map<string, FleetMember>();
  private readonly tellers: FleetEvents;
  private readonly silence: Silence;
  private current: SharingState = 'alone';
  private timer: Timer | undefined;
  private dueMs = Infinity;
  private isAsking = false;
  private hasNews = false;
  private stopped: Promise<void> | undefined;
  private messages = 0;
  private seenReplicas = 0;

  /** Use `shareCircuitBreakers()`. */
  constructor(private readonly settings: SharingSettings) {
    const { clock, intervalMs, events, onChange } = settings;
    this.tellers = new FleetEvents(clock, events, onChange);
    this.silence = new Silence(clock, intervalMs, () => this.turn('alone'));
  }

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

  /** Leaves the others: from here on each breaker goes by itself. Takes one interval at most. */
  stop(): Promise<void> {
    return (this.stopped ??= this.leave());
  }

  /** NestJS calls this where it is a provider: before the hooks in which applications close their clients. */
  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  private async leave(): Promise<void> {
    this.current = 'alone';
    this.timer?.cancel();
    this.silence.end();
    const { connection, replica } = this.settings;
    const left = [...this.members.values()].map((member) => {
      member.leave();
      return connection.run(LEAVE, this.keyOf(member), [replica]);
    });
    await Promise.allSettled(left);
  }

  private get hasStopped(): boolean {
    return this.stopped !== undefined;
  }

  private keyOf({ breaker }: FleetMember): string {
    return this.settings.prefix + breaker.name;
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
    const { clock, intervalMs, connection } = this.settings;
    this.isAsking = true;
    this.hasNews = false;
    const startMs = clock.monotonicMs();
    this.welcome();
    const members = [...this.members.values()];
    const isStuck = connection.unsettled > MOST_UNSETTLED * members.length;
    const heard = isStuck ? [false] : await Promise.all(members.map((member) => this.exchange(member)));
    this.isAsking = false;
    if (this.hasStopped) return;
    if (heard.every((answered) => answered)) this.hear();
    // A connection that has broken may be back before anybody counts as alone.
    else if (this.current === 'shared') this.hasNews = true;
    const restMs = Math.max(0, intervalMs / TIMES - (clock.monotonicMs() - startMs));
    this.schedule(this.hasNews ? Math.min(restMs, intervalMs * SOON) : restMs);
  }

  private welcome(): void {
    for (const breaker of this.settings.breakers()) {
      const present = this.members.get(breaker.name);
      if (present === undefined) this.admit(breaker);
      else if (present.breaker !== breaker) warnOfNamesake(breaker);
    }
  }

  private admit(breaker: CircuitBreaker): void {
    const member = new FleetMember(breaker, this.settings.clock, {
      news: () => this.soon(),
      moved: (transition) => this.tellers.moved(transition),
    });
    this.members.set(breaker.name, member);
    member.join(this.current === 'shared');
  }

  private hear(): void {
    // What they have come to is asked for once it counts.
    if (this.current === 'alone') this.hasNews = true;
    this.turn('shared');
    if (!this.hasStopped) this.silence.begin();
  }

  private async exchange(member: FleetMember): Promise<boolean> {
    const { settings } = this;
    const sentMs = settings.clock.monotonicMs();
    const tidings = member.tidings(settings.intervalMs);
    this.messages += 1;
    try {
      const reply = await askFleet(settings, this.keyOf(member), member, tidings, this.messages);
      this.seenReplicas = reply.replicas;
      if (!this.hasStopped && this.current === 'shared') member.apply(reply, sentMs, tidings.outcome);
      return true;
    } catch {
      return false;
    }
  }

  private turn(state: SharingState): void {
    if (state === this.current) return;
    this.current = state;
    for (const member of this.members.values()) member.join(state === 'shared');
    this.tellers.turned(state, this.members.size);
  }
}

const warned = new WeakSet<CircuitBreaker>();

/** One process would speak as two. */
function warnOfNamesake(breaker: CircuitBreaker): void {
  if (warned.has(breaker)) return;
  warned.add(breaker);
  const message = `two circuit breakers are named '${breaker.name}', so that only the first one is shared; give each a name of its own`;
  process.emitWarning(message, { code: 'RELPRIM' });
}
