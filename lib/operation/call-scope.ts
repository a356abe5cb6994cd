import { randomUUID } from 'node:crypto';
import type { AbortListener } from '../attempt/abort-listeners.js';
import type { AttemptView } from '../attempt/attempt-view.js';
import type { AttemptScope, CurrentAttempt } from '../attempt/current-attempt.js';
import type { ExecutionReport } from '../report/execution-report.js';
import { Interruptible } from './interruptible.js';

/** What only some calls come to need. An object of its own, as each field of a call is memory while it waits. */
export class CallDetails {
  /** What the method sees of its attempt. */
  view: AttemptView | undefined = undefined;
  /** The calls that the attempt has started. */
  children: Set<AbortListener> | undefined = undefined;
  id: string | undefined = undefined;
  /** The start on the wall clock, once somebody has asked for it. */
  startWallMs: number | undefined = undefined;
  account: ExecutionReport | undefined = undefined;
}

/** A call, as the code that runs in its attempts sees it, and the calls that this code starts. */
export abstract class CallScope extends Interruptible implements AttemptScope {
  /** Set by the class that is made: a constructor here would hand on its arguments one by one, in each call. */
  protected abstract details: CallDetails | undefined;

  get callId(): string {
    return (this.detailed().id ??= randomUUID());
  }

  /** How it is called, where anybody has asked. */
  get knownId(): string | undefined {
    return this.details?.id;
  }

  get startWallMs(): number | undefined {
    return this.details?.startWallMs;
  }

  set startWallMs(wallMs: number | undefined) {
    this.detailed().startWallMs = wallMs;
  }

  attempt(): CurrentAttempt {
    const details = this.detailed();
    if (details.view === undefined) {
      details.view = this.makeView();
      if (this.cancelled) details.view.cut(this.cancelReason);
    }
    return details.view;
  }

  children(): Set<AbortListener> {
    return (this.detailed().children ??= new Set());
  }

  override cancel(reason: unknown): void {
    if (this.cancelled) return;
    super.cancel(reason);
    this.abandonAttempt(reason);
  }

  /** Tells the code that still runs in this attempt, and the calls it started, that nobody waits for them. */
  abandonAttempt(reason: unknown): void {
    if (this.details === undefined) return;
    const { view, children } = this.details;
    view?.cut(reason);
    for (const child of children ?? []) child.cancel(reason);
  }

  /** What the attempt before this one has started is on its own now. */
  protected forgetAttempt(): void {
    if (this.details !== undefined) this.details.view = this.details.children = undefined;
  }

  protected accountBy(build: () => ExecutionReport): ExecutionReport {
    return (this.detailed().account ??= build());
  }

  protected abstract makeView(): AttemptView;

  private detailed(): CallDetails {
    return (this.details ??= new CallDetails());
  }
}
