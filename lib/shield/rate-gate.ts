import type { Gate } from '../attempt/gate.js';
import { WaitingLine, type Waiter } from '../attempt/waiting-line.js';
import type { ShieldProfile } from './profiles.js';
import { RateController } from './rate-controller.js';
import type { RateGateSettings } from './rate-gate-settings.js';
import { SendMeter } from './send-meter.js';
import { SendTimes } from './send-times.js';
import { shieldRefusal, type ShieldRefusalReason } from './shield-limited-error.js';
import { TokenBucket } from './token-bucket.js';
import type { ShieldTuning } from './tuning.js';

/** How a gate has changed. */
export type GateMove = 'engaged' | 'disengaged' | 'rate_changed';

/**
 * Lets attempts through as fast as the dependency seems to bear. Until the first slow-down, and again after a time of
 * health, that is as fast as they come, `maxRate` aside.
 */
export class RateGate implements Gate {
  private controller: RateController | undefined = undefined;
  private bucket: TokenBucket | undefined = undefined;
  private readonly meter = new SendMeter();
  /** While it limits; where sends from before the first slow-down count, from the beginning. */
  private sends: SendTimes | undefined;
  private readonly line = new WaitingLine((nowMs) => this.serve(nowMs));

  constructor(
    private readonly name: string,
    private readonly profile: ShieldProfile,
    private readonly tuning: ShieldTuning,
    private settings: RateGateSettings,
  ) {
    this.sends = tuning.engagesAtMeasuredRate ? undefined : new SendTimes();
  }

  get engaged(): boolean {
    return this.controller !== undefined;
  }

  /** Calls per second that it lets through while it limits. */
  get rate(): number {
    return this.controller?.rate ?? Math.min(this.profile.initialRate, this.settings.maxRate);
  }

  /** The rate from before the last cut. */
  get wMax(): number {
    return this.controller?.wMax ?? this.profile.initialRate;
  }

  get waiting(): number {
    return this.line.size;
  }

  /** What is in the bucket; `Infinity` while nothing is limited. */
  tokens(nowMs: number): number {
    return this.bucket?.tokens(nowMs / 1_000, this.flow) ?? Infinity;
  }

  /** Other limits from now on; what has been learnt stays. */
  reconfigure(settings: RateGateSettings, nowMs: number): void {
    const { controller } = this;
    const left = this.tokens(nowMs);
    this.settings = settings;
    if (controller !== undefined) controller.cap = settings.maxRate;
    const limits = controller !== undefined || this.isCapped;
    this.bucket = limits ? this.freshBucket(nowMs, left) : undefined;
    this.serve(nowMs);
  }

  tryEnter(nowMs: number): boolean {
    if (this.controller !== undefined || this.isCapped) {
      this.bucket ??= this.freshBucket(nowMs, Infinity);
      if (this.line.size > 0 || !this.bucket.take(nowMs / 1_000, this.flow)) return false;
    }
    this.noteSend(nowMs);
    return true;
  }

  wait(waiter: Waiter, nowMs: number): void {
    if (this.settings.whenLimited === 'reject') throw this.refusal('limited', nowMs);
    if (this.line.join(waiter, nowMs, this.settings.maxWaitMs)) this.rearm(nowMs);
  }

  leave(waiter: Waiter, nowMs: number): boolean {
    const wasFirst = this.line.first === waiter;
    const stood = this.line.remove(waiter);
    if (wasFirst) this.rearm(nowMs);
    return stood;
  }

  giveBack(nowMs: number): void {
    this.bucket?.giveBack();
    this.serve(nowMs);
  }

  /** A token is used up by whoever took it. */
  exit(_nowMs: number): void {}

  /** An attempt that began at `startMs` was too slow, or was told that there are too many. */
  slowDown(nowMs: number, startMs: number): GateMove | undefined {
    const now = nowMs / 1_000;
    const { controller } = this;
    if (controller === undefined) {
      this.engage(nowMs);
      return 'engaged';
    }
    if (this.tuning.cutsOncePerCongestion && startMs / 1_000 < controller.cutAt) return undefined;
    this.bucket?.tokens(now, controller.rate);
    if (this.tuning.cutsEmptyTheBucket) this.bucket?.empty();
    const before = controller.rate;
    controller.cut(now, this.used(nowMs));
    if (this.line.size > 0) this.rearm(nowMs);
    return controller.rate === before ? undefined : 'rate_changed';
  }

  succeed(nowMs: number): GateMove | undefined {
    const { controller } = this;
    if (controller === undefined) return undefined;
    const now = nowMs / 1_000;
    if (controller.isHealthy(now)) {
      this.disengage(nowMs);
      return 'disengaged';
    }
    this.bucket?.tokens(now, controller.rate);
    const before = controller.rate;
    controller.succeed(now);
    if (controller.rate === before) return undefined;
    if (this.line.size > 0) this.serve(nowMs);
    return 'rate_changed';
  }

  private get isCapped(): boolean {
    return this.settings.maxRate !== Infinity && this.tuning.capsFromTheStart;
  }

  /** How fast the bucket is filled. */
  private get flow(): number {
    return this.controller?.rate ?? this.settings.maxRate;
  }

  private engage(nowMs: number): void {
    const { profile, tuning } = this;
    const { maxRate } = this.settings;
    const start = tuning.engagesAtMeasuredRate ? Math.min(this.used(nowMs), maxRate) : profile.initialRate;
    this.bucket = this.freshBucket(nowMs, 0);
    this.sends ??= new SendTimes();
    this.controller = new RateController(profile, tuning, maxRate, this.sends, start, nowMs / 1_000);
    this.controller.cut(nowMs / 1_000, start);
    if (this.line.size > 0) this.rearm(nowMs);
  }

  /** The rate that can have been too much: the one that was measured, where that is above the profile's. */
  private used(nowMs: number): number {
    if (!this.tuning.engagesAtMeasuredRate) return Infinity;
    return Math.max(this.profile.initialRate, this.meter.rate(nowMs));
  }

  private disengage(nowMs: number): void {
    const left = this.tokens(nowMs);
    this.controller = this.sends = undefined;
    this.bucket = this.isCapped ? this.freshBucket(nowMs, left) : undefined;
    this.serve(nowMs);
  }

  /** A `maxRate` leaves no more room than for one second of it. */
  private freshBucket(nowMs: number, tokens: number): TokenBucket {
    const { maxRate } = this.settings;
    const capacity = this.isCapped ? Math.min(this.profile.burst, Math.max(1, maxRate)) : this.profile.burst;
    return new TokenBucket(capacity, Math.min(capacity, tokens), nowMs / 1_000);
  }

  private serve(nowMs: number): void {
    const now = nowMs / 1_000;
    while (this.line.size > 0 && this.bucket?.take(now, this.flow) !== false) {
      this.noteSend(nowMs);
      this.line.admitFirst();
    }
    this.line.refuseDue(nowMs, () => this.refusal('waited_too_long', nowMs));
    this.rearm(nowMs);
  }

  private noteSend(nowMs: number): void {
    this.meter.note(nowMs);
    this.sends?.note(nowMs / 1_000);
  }

  private rearm(nowMs: number): void {
    if (this.line.size === 0) return;
    const waitSeconds = this.bucket?.waitFor(nowMs / 1_000, this.flow) ?? 0;
    this.line.wakeAt(nowMs + Math.max(waitSeconds * 1_000, SHORTEST_WAIT_MS), nowMs);
  }

  private refusal(reason: ShieldRefusalReason, nowMs: number) {
    const wait = this.bucket?.waitFor(nowMs / 1_000, this.flow, this.line.size) ?? 0;
    return shieldRefusal(this.name, reason, wait);
  }
}

/** A wait that floating point made too short to move the clock would be waited for ever. */
const SHORTEST_WAIT_MS = 0.001;
