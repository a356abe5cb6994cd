import { Logger } from '@nestjs/common';
import type { OperationHost, ReportListener } from '../lib/container.js';
import type { CircuitBreaker, CircuitBreakerRegistry, Clock, EventEmitter, Random } from '../lib/index.js';

/** An application as operations see it. */
export class NestHost implements OperationHost {
  /** Set at start-up, not at construction: a sink may depend on the executor, or on something that does. */
  emitter: EventEmitter | undefined;
  readonly observers: ReportListener[] = [];
  readonly sharesCircuitBreakers = true;
  private readonly logger = new Logger('ResilienceModule');

  constructor(
    readonly clock: Clock,
    readonly random: Random,
    private readonly registry: CircuitBreakerRegistry,
  ) {}

  warn(message: string): void {
    this.logger.warn(message);
  }

  circuitBreaker(name: string): CircuitBreaker {
    return this.registry.get(name);
  }
}
