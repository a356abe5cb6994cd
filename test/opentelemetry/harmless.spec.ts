import { describe, expect, it, jest } from '@jest/globals';
import { OpenTelemetryMetrics, OpenTelemetrySpans } from '../../lib/adapters/opentelemetry.js';
import type { CallProbe } from '../../lib/events/call-probe.js';
import {
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  idempotencyPolicy,
  RetryPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { build, everySeconds, gives, rejects, Upstream, type Policies } from '../operation/support.js';
import { tracing, withActiveContext } from './support.js';

withActiveContext();

function fail(): never {
  throw new Error('broken');
}

const POLICIES: Policies = {
  retry: new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }),
  fallbacks: fallbackChain(['other', async () => 'fallback']),
};
const BROKEN: CallProbe = { execute: fail, ask: fail, refuse: fail, succeed: fail, note: fail, end: fail };

describe('what watches calls', () => {
  it('harms none of them by failing, and is warned about once', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const clock = new FakeClock();
    const events = new EventEmitter({ sinks: [{ emit: fail, probe: BROKEN }] });
    const run = async (policies: Policies, ...steps: (() => unknown)[]) => {
      const op = build(new Upstream(...steps).call, { ...policies, events }, clock);
      const { value } = await clock.settle(op.run('key'));
      return value as unknown;
    };
    const open = new CircuitBreaker({ name: 'b' });
    open.forceOpen('maintenance');
    expect(await run(POLICIES, rejects(new Error('down')), gives(1))).toBe(1);
    expect(await run({ ...POLICIES, circuitBreaker: open }, gives(1))).toBe('fallback');
    expect(await run({ idempotency: idempotencyPolicy((key: string) => key) }, gives(1))).toBe(1);
    expect(warn.mock.calls.map(([message]) => message)).toEqual(
      warn.mock.calls.map(() => 'what watches calls failed with Error'),
    );
    const warned = warn.mock.calls.length;
    const op = build(new Upstream(gives(1)).call, { events }, clock);
    await op.run();
    await op.run();
    await op.run();
    // One for each moment of one operation.
    expect(warn.mock.calls).toHaveLength(warned + 2);
    warn.mockRestore();
  });

  it.each(['onStart', 'onEnd'] as const)('harms none where a span processor fails at %s', async (moment) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { provider } = tracing();
    const processor = (provider as unknown as { _activeSpanProcessor: Record<string, unknown> })
      ._activeSpanProcessor;
    processor[moment] = fail;
    const clock = new FakeClock();
    const events = new EventEmitter({ sinks: [new OpenTelemetrySpans({ tracerProvider: provider })] });
    const op = build(new Upstream(rejects(new Error('down')), gives(1)).call, { ...POLICIES, events }, clock);
    const { value, report } = await clock.settle(op.run());
    expect([value, report.attemptCount, clock.pendingTimers]).toEqual([1, 2, 0]);
    warn.mockRestore();
  });

  it('measures and traces nowhere where no SDK is there, and calls go on', async () => {
    const events = new EventEmitter({ sinks: [new OpenTelemetrySpans(), new OpenTelemetryMetrics()] });
    const clock = new FakeClock();
    const op = build(new Upstream(rejects(new Error('down')), gives(1)).call, { ...POLICIES, events }, clock);
    const { value, report } = await clock.settle(op.run());
    expect([value, report.attemptCount]).toEqual([1, 2]);
  });

  it('surrounds a call in the order in which it was given', async () => {
    const told: string[] = [];
    const probe = (name: string): CallProbe => ({
      launch: (_call, run) => {
        told.push(`${name} launch`);
        return run();
      },
      invoke: (_call, run) => {
        told.push(`${name} invoke`);
        return run();
      },
      end: ({ operationName, status }) => void told.push(`${name} ${operationName} ${String(status)}`),
    });
    const sinks = ['a', 'b', 'c'].map((name) => ({ emit: fail, probe: probe(name) }));
    await build(async () => 1, { events: new EventEmitter({ sinks }) }, new FakeClock()).run();
    expect(told).toEqual([
      'a launch',
      'b launch',
      'c launch',
      'a invoke',
      'b invoke',
      'c invoke',
      'a op succeeded',
      'b op succeeded',
      'c op succeeded',
    ]);
  });
});
