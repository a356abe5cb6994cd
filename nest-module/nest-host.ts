import { Logger } from '@nestjs/common';
import { Shutdown, type OperationHost, type ReportListener } from '../lib/container.js';
import {
  CircuitBreakerRegistry,
  ConcurrencyLimitRegistry,
  ShieldRegistry,
  type CircuitBreaker,
  type Clock,
  type ConcurrencyLimit,
  type EventEmitter,
  type Random,
  type Shield,
} from '../lib/index.js';
import { FlushLimit } from './flush-limit.js';
import { Streams } from './streams/streams.js';
import { NO_TESTING, type TestingHooks } from './testing-hooks.js';

/** What an application has by name. */
interface Registries {
  readonly circuitBreakers: CircuitBreakerRegistry;
  readonly shields: ShieldRegistry;
  readonly concurrencyLimits: ConcurrencyLimitRegistry;
}

/** An application as operations see it. */
export class NestHost implements OperationHost {
  emitter: EventEmitter | undefined;
  readonly observers: ReportListener[];
  readonly instrument;
  readonly passesThrough;
  readonly isApplication = true;
  readonly shutdown = new Shutdown();
  readonly streams: Streams;
  private named: Registries = {
    circuitBreakers: new CircuitBreakerRegistry(),
    shields: new ShieldRegistry(),
    concurrencyLimits: new ConcurrencyLimitRegistry(),
  };
  private readonly logger = new Logger('ResilienceModule');
  private readonly flushLimit = new FlushLimit((message) => this.warn(message));

  constructor(
    readonly clock: Clock,
    readonly random: Random,
    readonly testing: TestingHooks = NO_TESTING,
  ) {
    this.observers = testing.onReport === undefined ? [] : [testing.onReport];
    this.streams = new Streams({ clock, observers: this.observers, warn: (message) => this.warn(message) });
    this.instrument = testing.instrument;
    this.passesThrough = testing.passesThrough;
  }

  /**
   * Takes what comes at start-up, and not at construction: a sink may depend on the executor, or on something that
   * does, and so may what gives the settings of what is named.
   */
  join(named: Registries, emitter: EventEmitter | undefined): void {
    this.named = named;
    this.emitter = emitter;
  }

  warn(message: string): void {
    this.logger.warn(message);
  }

  concurrencyLimit(name: string): ConcurrencyLimit {
    return this.named.concurrencyLimits.get(name);
  }

  /** @internal Typings without internal parts must not claim that a Shield is what operations need of one. */
  shield(name: string): Shield {
    return this.named.shields.get(name);
  }

  circuitBreaker(name: string): CircuitBreaker {
    return this.named.circuitBreakers.get(name);
  }

  /** Resolves when the event sinks have written what they have, or cannot in time. */
  async flush(): Promise<void> {
    const { emitter } = this;
    // A test may have put something simpler in its place.
    if (typeof emitter?.flush === 'function') await this.flushLimit.wait(() => emitter.flush());
  }
}
