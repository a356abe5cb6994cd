import { metrics, type BatchObservableCallback, type Meter, type MeterProvider } from '@opentelemetry/api';
import { checkCount, checkFunction, checkOptions, refuse } from '../../errors/check.js';
import type { CallProbe } from '../../events/call-probe.js';
import type { EventSink } from '../../events/event-sink.js';
import { CircuitBreakerRegistry } from '../../policies/circuit-breaker/circuit-breaker-registry.js';
import { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import { BreakerMeter } from './breaker-meter.js';
import { CallMeter } from './call-meter.js';
import { createInstruments } from './instruments.js';
import { ShieldGauges, type WatchedShield } from './shield-gauges.js';

/** Options of {@link OpenTelemetryMetrics}. */
export interface OpenTelemetryMetricsOptions {
  /** Where measurements go. Default: the provider that the application has registered when the first call comes. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * How many names of operations are told apart, and as many of circuit breakers and of shields; the rest is called
   * `other`. Default 200, least 1.
   */
  readonly maxNames?: number | undefined;
}

/**
 * Measures every call: how long it took, its attempts and waits, and the circuit breakers that it met. Give it where
 * event sinks are given; it is told no events.
 */
export class OpenTelemetryMetrics implements EventSink {
  /** @internal */
  readonly probe: CallProbe;
  private readonly provider: MeterProvider | undefined;
  private readonly mostNames: number;
  private made: Measuring | undefined;

  /** @throws {ConfigurationError} for options that are none. */
  constructor(options: OpenTelemetryMetricsOptions = {}) {
    checkOptions('OpenTelemetryMetrics', options, ['meterProvider', 'maxNames']);
    const { meterProvider, maxNames = 200 } = options;
    if (meterProvider !== undefined)
      checkFunction('meterProvider.getMeter', (meterProvider as Partial<MeterProvider> | null)?.getMeter);
    this.provider = meterProvider;
    this.mostNames = checkCount('maxNames', maxNames, 1);
    this.probe = {
      ask: (breaker) => this.measuring.breakers.meet(breaker),
      refuse: (breaker, reason) => this.measuring.breakers.refuse(breaker, reason),
      end: (call) => this.measuring.calls.note(call),
    };
  }

  /** Nothing: what is to be measured is seen in the calls themselves. */
  emit(): void {}

  /**
   * Shows the state of circuit breakers that no call has met yet; those that calls meet are found.
   * @throws {ConfigurationError} for anything but a registry or a list of circuit breakers.
   */
  watchCircuitBreakers(breakers: CircuitBreakerRegistry | readonly CircuitBreaker[]): void {
    this.measuring.watch(sourceOf(breakers));
  }

  /** Shows what shields say of themselves, each time that metrics are read. Gives a function that ends it. */
  watchShields(shields: () => Iterable<WatchedShield>): () => void {
    return this.measuring.shields.add(checkFunction('shields', shields));
  }

  /** Ends the watching of circuit breakers and shields. Calls are measured as before. */
  stop(): void {
    this.made?.stop();
  }

  /** NestJS calls this where it is a provider. */
  onApplicationShutdown(): void {
    this.stop();
  }

  /** Made late: the provider may be registered after this was. */
  private get measuring(): Measuring {
    return (this.made ??= new Measuring((this.provider ?? metrics).getMeter('relprim'), this.mostNames));
  }
}

/** Everything that there is once there is a meter. */
class Measuring {
  readonly calls: CallMeter;
  readonly breakers: BreakerMeter;
  readonly shields: ShieldGauges;
  /** Asked each time: more may come while an application starts. */
  private sources: (() => readonly CircuitBreaker[])[] = [];
  readonly stop: () => void;

  constructor(meter: Meter, mostNames: number) {
    const instruments = createInstruments(meter);
    this.calls = new CallMeter(instruments, mostNames);
    this.breakers = new BreakerMeter(instruments, mostNames);
    this.shields = new ShieldGauges(instruments, mostNames);
    const { breakerState, shieldRate, shieldTimeout, shieldBudget } = instruments;
    const observed = [breakerState, shieldRate, shieldTimeout, shieldBudget];
    const observe: BatchObservableCallback = (result) => {
      this.meetAll();
      this.breakers.observe(result);
      this.shields.observe(result);
    };
    meter.addBatchObservableCallback(observe, observed);
    this.stop = () => {
      meter.removeBatchObservableCallback(observe, observed);
      this.sources = [];
      this.breakers.stop();
      this.shields.stop();
    };
  }

  watch(source: () => readonly CircuitBreaker[]): void {
    this.sources.push(source);
    this.meetAll();
  }

  private meetAll(): void {
    for (const list of this.sources) for (const breaker of list()) this.breakers.meet(breaker);
  }
}

function sourceOf(
  given: CircuitBreakerRegistry | readonly CircuitBreaker[],
): () => readonly CircuitBreaker[] {
  if (given instanceof CircuitBreakerRegistry) return () => given.list();
  const list: unknown = given;
  if (Array.isArray(list) && list.every((one) => one instanceof CircuitBreaker)) return () => list;
  return refuse('breakers', given, 'give a CircuitBreakerRegistry, or a list of circuit breakers');
}
