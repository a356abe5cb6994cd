import type { EventEmitter } from '../../events/event-emitter.js';
import { StructuredEvent } from '../../events/structured-event.js';
import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { Clock, Timer } from '../../time/clock.js';
import { askFleet } from './ask-fleet.js';
import { LEAVE } from './breaker-scripts.js';
import { FleetMember } from './fleet-member.js';
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

/** After so many intervals without an answer a process goes by itself. */
const SILENT_INTERVALS = 2;
/** News are told so much sooner than at the next interval. */
const SOON = 1 / 10;

/** The breakers of one process, shared with others. */
export class SharedCircuitBreakers {
  private readonly members: FleetMember[] = [];
  private current: SharingState = 'alone';
  private timer: Timer | undefined;
  private dueMs = Infinity;
  private silence: Timer | undefined;
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
    this.silence?.cancel();
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
    if (heard.every((answered) => answered)) this.hear();
    const restMs = Math.max(0, intervalMs - (clock.monotonicMs() - startMs));
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

  private hear(): void {
    const { clock, intervalMs } = this.settings;
    // What they have come to is asked for once it counts.
    if (this.current === 'alone') this.hasNews = true;
    this.turn('shared');
    // A timer, since questions may fail at once or hang: either way it is not told too late.
    this.silence?.cancel();
    if (this.hasStopped) return;
    this.silence = clock.setTimer(() => this.turn('alone'), SILENT_INTERVALS * intervalMs);
    this.silence.unref?.();
  }

  private async exchange(member: FleetMember): Promise<boolean> {
    const { settings } = this;
    const sentMs = settings.clock.monotonicMs();
    const tidings = member.tidings(settings.intervalMs);
    this.messages += 1;
    try {
      const reply = await askFleet(settings, this.keyOf(member.breaker), member, tidings, this.messages);
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
