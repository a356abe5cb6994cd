import { afterEach, describe, expect, it } from '@jest/globals';
import { OpenTelemetryMetrics, type OpenTelemetryMetricsOptions } from '../../lib/adapters/opentelemetry.js';
import {
  asyncOperation,
  CircuitBreaker,
  CircuitBreakerRegistry,
  EventEmitter,
  resilient,
  Shield,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { build, gives, rejection, rejects, Upstream } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { metering, SDK_2, short } from './support.js';

const down = (): Error => new Error('down');

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function scene(options: OpenTelemetryMetricsOptions = {}, reads: 'CUMULATIVE' | 'DELTA' = 'CUMULATIVE') {
  const meter = metering(SDK_2, reads);
  stops.push(meter.stop);
  const clock = new FakeClock();
  const sink = new OpenTelemetryMetrics({ meterProvider: meter.provider, ...options });
  const events = new EventEmitter({ sinks: [sink], clock });
  const points = async (name: string) => short(await meter.points(`relprim.${name}`));
  /** Breakers by name, as 'closed open half_open'. */
  const states = async () => {
    const byName: Record<string, unknown[]> = {};
    for (const [attributes, count] of await points('circuit_breaker.state'))
      (byName[String(attributes['circuit_breaker.name'])] ??= []).push(
        `${String(attributes['circuit_breaker.state'])} ${String(count)}`,
      );
    return byName;
  };
  return { ...meter, points, states, clock, sink, events };
}

describe('the metrics of circuit breakers', () => {
  it('show the state of each, its changes and what it refused', async () => {
    const { clock, events, points, states } = scene();
    const circuitBreaker = new CircuitBreaker({ name: 'payments', failureThreshold: 1, recoveryTimeout: 30 });
    const op = build(new Upstream(rejects(down()), gives(1)).call, { circuitBreaker, events }, clock);
    await rejection(op.run());
    expect(await states()).toEqual({ payments: ['closed 0', 'open 1', 'half_open 0'] });
    await rejection(op.run());
    await rejection(op.run());
    await clock.advance('30s');
    await op.run();
    expect(await states()).toEqual({ payments: ['closed 1', 'open 0', 'half_open 0'] });
    const by = { 'circuit_breaker.name': 'payments', 'circuit_breaker.changed_by': 'call' };
    expect(await points('circuit_breaker.transitions')).toEqual([
      [{ ...by, 'circuit_breaker.state': 'open' }, 1],
      [{ ...by, 'circuit_breaker.state': 'half_open' }, 1],
      [{ ...by, 'circuit_breaker.state': 'closed' }, 1],
    ]);
    expect(await points('circuit_breaker.rejections')).toEqual([
      [{ 'circuit_breaker.name': 'payments', 'circuit_breaker.reason': 'consecutive_failures' }, 2],
    ]);
    const refused = (await points('operation.attempts')).find(
      ([attributes]) => attributes['attempt.outcome'] === 'refused',
    );
    expect(refused?.[1]).toBe(2);
  });

  it('count what an operator does, where that changes the state', async () => {
    const { sink, points } = scene();
    const breaker = new CircuitBreaker({ name: 'b' });
    sink.watchCircuitBreakers([breaker]);
    breaker.forceOpen('secret reason');
    breaker.forceOpen('secret reason');
    breaker.reset('secret reason');
    const by = { 'circuit_breaker.name': 'b', 'circuit_breaker.changed_by': 'operator' };
    const transitions = await points('circuit_breaker.transitions');
    expect(transitions).toEqual([
      [{ ...by, 'circuit_breaker.state': 'open' }, 1],
      [{ ...by, 'circuit_breaker.state': 'closed' }, 1],
    ]);
  });

  it('show those of a registry before the first call, and those that come later', async () => {
    const { sink, states } = scene();
    const registry = new CircuitBreakerRegistry();
    registry.create({ name: 'first' });
    sink.watchCircuitBreakers(registry);
    registry.create({ name: 'second' });
    expect(Object.keys(await states())).toEqual(['first', 'second']);
  });

  it('count the breakers of all keys under one name, and never show a key', async () => {
    const { clock, events, read, states, points } = scene();
    const tenants = new CircuitBreaker({ name: 'tenants', failureThreshold: 1 });
    const run = resilient(
      { name: 'op', clock, events, circuitBreaker: (tenant: string) => tenants.keyed(tenant) },
      async (tenant: string) => {
        if (tenant !== 'acme') throw down();
      },
    );
    await run('acme');
    for (const tenant of ['umbrella', 'initech']) {
      await rejection(run(tenant));
      await rejection(run(tenant));
    }
    expect(await states()).toEqual({ tenants: ['closed 1', 'open 2', 'half_open 0'] });
    expect((await points('circuit_breaker.transitions')).map(([, count]) => count)).toEqual([2]);
    expect((await points('circuit_breaker.rejections')).map(([, count]) => count)).toEqual([2]);
    expect(JSON.stringify(await read())).not.toMatch(/acme|umbrella|initech/);
  });

  it('tell at most so many names apart', async () => {
    const { sink, states } = scene({ maxNames: 2 });
    sink.watchCircuitBreakers(['a', 'b', 'c', 'd'].map((name) => new CircuitBreaker({ name })));
    expect(await states()).toEqual({
      a: ['closed 1', 'open 0', 'half_open 0'],
      b: ['closed 1', 'open 0', 'half_open 0'],
      other: ['closed 2', 'open 0', 'half_open 0'],
    });
  });

  it('end when they are told to stop', async () => {
    const { sink, states, points } = scene({}, 'DELTA');
    const breaker = new CircuitBreaker({ name: 'b' });
    sink.watchCircuitBreakers([breaker]);
    expect(Object.keys(await states())).toEqual(['b']);
    sink.stop();
    breaker.forceOpen('maintenance');
    expect(await states()).toEqual({});
    expect(await points('circuit_breaker.transitions')).toEqual([]);
  });

  it('measure calls as before after that', async () => {
    const { sink, events, points } = scene();
    const op = asyncOperation('op', async () => 1).withEvents(events);
    await op.run();
    sink.onApplicationShutdown();
    await op.run();
    expect((await points('operation.attempts')).map(([, count]) => count)).toEqual([2]);
  });

  it('refuse what is no circuit breaker', () => {
    const { sink } = scene();
    const watch = (given: unknown) => () => sink.watchCircuitBreakers(given as CircuitBreaker[]);
    expect(mistakeOf(watch(undefined)).option).toBe('breakers');
    expect(mistakeOf(watch([{ name: 'b' }])).option).toBe('breakers');
  });
});

describe('the metrics of shields', () => {
  it('show what each says of itself when metrics are read, until that is ended', async () => {
    const { sink, points } = scene({}, 'DELTA');
    const reading = { rate: 12.5, timeoutSeconds: 0.25, budget: null };
    const stop = sink.watchShields(() => [{ name: 'github', snapshot: () => reading }]);
    const own = { 'shield.name': 'github' };
    expect(await points('shield.rate')).toEqual([[own, 12.5]]);
    expect(await points('shield.timeout')).toEqual([[own, 0.25]]);
    expect(await points('shield.budget')).toEqual([]);
    stop();
    expect(await points('shield.rate')).toEqual([]);
  });

  it('take a shield as it is, and show its rate while its limiter is on', async () => {
    const { sink, points, clock } = scene();
    const shield = Shield.api('github', { clock, random: () => 0, env: false });
    sink.watchShields(() => [shield]);
    const own = { 'shield.name': 'github' };
    expect(await points('shield.rate')).toEqual([]);
    expect(await points('shield.budget')).toEqual([[own, 20]]);
    await clock.settle(
      shield.run(rejects(Object.assign(down(), { name: 'TimeoutError' }))).catch(() => undefined),
    );
    expect((await points('shield.rate')).map(([, rate]) => rate)).toEqual([shield.snapshot().rate]);
    expect(await points('shield.budget')).toEqual([[own, 17]]);
    expect(await points('shield.timeout')).toEqual([[own, 10]]);
  });

  it('refuse what is no function', () => {
    expect(mistakeOf(() => scene().sink.watchShields([] as never)).option).toBe('shields');
  });
});
