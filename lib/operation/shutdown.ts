import { ResilienceShutdownError } from './resilience-shutdown-error.js';

/** A call that waits for its next attempt. */
interface WaitingCall {
  readonly operationName: string;
  cancel(reason: unknown): void;
}

/** Ends what only waits when an application stops. It knows calls while they wait, and no others. */
export class Shutdown {
  private hasBegun = false;
  private readonly waiting = new Map<WaitingCall, unknown>();

  /** The application is stopping: what runs may end, nothing is tried again. */
  get begun(): boolean {
    return this.hasBegun;
  }

  begin(): void {
    this.hasBegun = true;
    for (const [call, failure] of [...this.waiting]) end(call, failure);
  }

  /** `failure` is what it waits after. */
  enter(call: WaitingCall, failure: unknown): void {
    if (this.hasBegun) end(call, failure);
    else this.waiting.set(call, failure);
  }

  leave(call: WaitingCall): void {
    this.waiting.delete(call);
  }
}

function end(call: WaitingCall, failure: unknown): void {
  call.cancel(new ResilienceShutdownError(call.operationName, failure));
}
