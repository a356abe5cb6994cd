import { expect } from '@jest/globals';
import { CircuitBreaker, type CircuitBreakerTransition } from '../../lib/index.js';
import { shareCircuitBreakers, type SharedCircuitBreakers } from '../../lib/adapters/redis.js';
import { FakeClock } from '../../lib/testing/index.js';
import type { Fleet } from '../../lib/policies/circuit-breaker/fleet.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { AT_ONCE, FakeRedis, LOST, SkewedClock, type Fate } from './fake-redis.js';

export const INTERVAL_MS = 100;
/** Longer than it takes to hear of the others, or to know that they are out of reach. */
export const RECOVERY_MS = 350;

export const LONGEST_MS = 1_000;

export interface Numbers {
  readonly limit: number;
  readonly leaseMs: number;
  readonly quorum: number;
  readonly failureRate: number | undefined;
  /** The recovery time doubles with each bad probe, up to {@link LONGEST_MS}. */
  readonly isGrowing?: boolean;
  readonly skewsMs: readonly number[];
}

export interface Member {
  readonly breaker: CircuitBreaker;
  readonly shared: SharedCircuitBreakers;
  readonly transitions: CircuitBreakerTransition[];
  isCut: boolean;
}

interface Call {
  readonly member: Member;
  readonly work: Deferred<unknown>;
  /** How many changes its breaker had seen when it began. */
  readonly period: number;
  /** Until when it holds its place as a probe of the fleet; `undefined`: it is none. */
  readonly holdsUntilMs: number | undefined;
}

/** Processes that share a breaker, each on a clock of its own, and a network that a test decides about. */
export class World {
  readonly clock = new FakeClock();
  readonly redis = new FakeRedis(this.clock);
  readonly members: Member[];
  readonly calls: Call[] = [];
  fates: readonly Fate[] = [AT_ONCE];
  mostProbes = 0;
  probes = 0;
  private messages = 0;

  constructor(
    private readonly numbers: Numbers,
    private readonly isCut = false,
  ) {
    this.members = numbers.skewsMs.map((skewMs) => this.member(skewMs));
  }

  /** Begins a call. A probe that is let through must be one of no more than the limit. */
  async begin(member: Member): Promise<Call | undefined> {
    const { breaker, transitions } = member;
    let call: Call | undefined;
    const outcome = breaker.run(() => {
      const work = deferred<unknown>();
      call = { member, work, period: transitions.length, holdsUntilMs: this.placeOf(breaker) };
      this.calls.push(call);
      if (call.holdsUntilMs !== undefined) this.countProbes();
      return work.promise;
    });
    outcome.catch(() => undefined);
    const { forced } = breaker.snapshot();
    if (forced !== null) expect(call !== undefined).toBe(forced === 'closed');
    expect(this.mostProbes).toBeLessThanOrEqual(this.numbers.limit);
    await turn();
    return call;
  }

  /** Ends a call. What comes of one that began before its breaker last changed must not change it. */
  async settle(call: Call, isGood: boolean): Promise<void> {
    const { member, work, period } = call;
    this.calls.splice(this.calls.indexOf(call), 1);
    const { length } = member.transitions;
    const { forced } = member.breaker.snapshot();
    if (isGood) work.resolve('fine');
    else work.reject(new Error('down'));
    await turn();
    if (length !== period || forced !== null) expect(member.transitions).toHaveLength(length);
  }

  /** Calls that end at once. */
  async call(member: Member, isGood: boolean): Promise<boolean> {
    const call = await this.begin(member);
    if (call !== undefined) await this.settle(call, isGood);
    return call !== undefined;
  }

  async stop(): Promise<void> {
    const stopping = Promise.all(this.members.map(({ shared }) => shared.stop()));
    await this.clock.settle(stopping);
  }

  private countProbes(): void {
    this.probes += 1;
    const holding = this.calls.filter((call) => this.holdsPlace(call));
    this.mostProbes = Math.max(this.mostProbes, holding.length);
  }

  private placeOf(breaker: CircuitBreaker): number | undefined {
    if (breaker.state !== 'half_open' || !breaker.isFleetOpen) return undefined;
    return this.clock.monotonicMs() + Math.min(restOf(breaker), this.numbers.leaseMs);
  }

  private holdsPlace({ member: { breaker, transitions }, period, holdsUntilMs = -Infinity }: Call): boolean {
    const isOver = transitions.length !== period || this.clock.monotonicMs() > holdsUntilMs;
    return !isOver && breaker.isFleetOpen && restOf(breaker) > 0;
  }

  private member(skewMs: number): Member {
    const { limit, leaseMs, quorum, failureRate, isGrowing = false } = this.numbers;
    const initial = `${RECOVERY_MS}ms` as const;
    const clock = new SkewedClock(this.clock, skewMs);
    const breaker = new CircuitBreaker({
      name: 'payments',
      failureThreshold: 2,
      ...(failureRate !== undefined && { failureRate, window: 10, minimumCalls: 6 }),
      recoveryTimeout: isGrowing ? { initial, factor: 2, max: `${LONGEST_MS}ms` } : initial,
      probes: { concurrent: limit, lease: `${leaseMs}ms` },
      clock,
    });
    const transitions: CircuitBreakerTransition[] = [];
    breaker.onTransition((transition) => transitions.push(transition));
    const member = { breaker, transitions, isCut: this.isCut } as {
      -readonly [K in keyof Member]: Member[K];
    };
    const fate = (): Fate => {
      this.messages += 1;
      return member.isCut ? LOST : (this.fates[this.messages % this.fates.length] ?? AT_ONCE);
    };
    const client = this.redis.client(fate);
    member.shared = shareCircuitBreakers({
      client,
      breakers: [breaker],
      quorum,
      interval: `${INTERVAL_MS}ms`,
      clock,
    });
    return member;
  }
}

/** How long the process of this breaker may probe. */
function restOf(breaker: CircuitBreaker): number {
  const { fleet } = breaker as unknown as { fleet: Fleet | undefined };
  return fleet?.leaseRestMs() ?? 0;
}

/** Everything that can settle by itself has settled after it; no timer of the world has fired. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
