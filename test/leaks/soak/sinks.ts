import { Injectable } from '@nestjs/common';
import type { AnyEvent, CircuitBreakerTransitionPayload, EventSink } from '../../../lib/index.js';
import { later } from '../shapes/shape.js';

const LEGAL = ['closed>open', 'open>half_open', 'half_open>open', 'half_open>closed'];

/** Is told at once, and follows the circuit breakers. */
@Injectable()
export class AllEvents implements EventSink {
  told = 0;
  /** How often each breaker has opened. */
  readonly opened: Record<string, number> = {};
  readonly illegal: string[] = [];
  private readonly states = new Map<string, string>();

  emit({ eventType, payload }: AnyEvent): void {
    this.told += 1;
    if (/^circuit_breaker\.(opened|half_opened|closed)$/.test(eventType))
      this.moved(payload as CircuitBreakerTransitionPayload);
  }

  private moved({
    breaker_name: name,
    from_state: from,
    to_state: to,
  }: CircuitBreakerTransitionPayload): void {
    const known = this.states.get(name) ?? 'closed';
    if (known !== from || !LEGAL.includes(`${from}>${to}`))
      this.illegal.push(`${name}: ${known}, ${from}>${to}`);
    this.states.set(name, to);
    if (to === 'open') this.opened[name] = (this.opened[name] ?? 0) + 1;
  }
}

/** Takes one event a turn of the event loop, which is too few. */
@Injectable()
export class SlowSink implements EventSink {
  told = 0;

  emit(): Promise<void> {
    this.told += 1;
    return later();
  }
}
