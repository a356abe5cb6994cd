import type { ExecutionReport } from '../../lib/index.js';
import { RealCall, RealWorld } from './real-world.js';
import { ReferenceCall } from './reference-call.js';
import { ReferenceWorld } from './reference-world.js';
import { HORIZON_MS, SILENCE_MS, type Scenario } from './scenario.js';

interface Command {
  readonly atMs: number;
  readonly does: 'aborts' | 'starts';
  readonly call: number;
}

/** What callers do, in order: what falls due in the same millisecond has happened before. */
function commandsOf({ calls }: Scenario): Command[] {
  const commands = calls.flatMap(({ startMs, abortMs }, call): Command[] => [
    ...(abortMs === undefined ? [] : [{ atMs: abortMs, does: 'aborts', call } as const]),
    { atMs: startMs, does: 'starts', call },
  ]);
  const ordered = commands.sort((left, right) => left.atMs - right.atMs || left.call - right.call);
  // Whoever waits for ever is let go in the end.
  return [...ordered, ...calls.map((_, call) => ({ atMs: HORIZON_MS, does: 'aborts', call }) as const)];
}

const leaves = (call: { abort(): void }): void => call.abort();

/** What the contract says: of each call, and of what they share. */
export function playReference(scenario: Scenario) {
  const world = new ReferenceWorld(scenario);
  const calls = scenario.calls.map((planned, index) => new ReferenceCall(world, index, planned));
  for (const { atMs, does, call } of commandsOf(scenario)) {
    world.passTo(atMs);
    const acting = calls[call] as ReferenceCall;
    if (does === 'starts') acting.start();
    else leaves(acting);
  }
  world.passTo(SILENCE_MS);
  const { limit } = world;
  return {
    calls: calls.map(({ account, outcome, hasSignal }) => ({
      outcome: outcome ?? { end: 'none', label: '' },
      endedAtMs: outcome === undefined ? [] : [account.endMs],
      called: account.called,
      events: account.events,
      report: outcome && account.report,
      reports: outcome === undefined ? 0 : 1,
      ...(hasSignal && { listeners: 0 }),
    })),
    changes: world.changes,
    breaker: world.breaker.state,
    limit: { running: limit.running, waiting: limit.line.length, refused: limit.refused },
    pendingTimers: 0,
  };
}

/** What the library does; nobody has an account of a call that never ends. */
export async function playReal(scenario: Scenario, contract: ReturnType<typeof playReference>) {
  const world = new RealWorld(scenario);
  const { clock } = world;
  const calls = scenario.calls.map((planned, index) => new RealCall(world, index, planned));
  for (const { atMs, does, call } of commandsOf(scenario)) {
    await clock.advance(`${atMs - clock.monotonicMs()}ms`);
    const acting = calls[call] as RealCall;
    if (does === 'starts') acting.start();
    else leaves(acting);
    await clock.advance(0);
  }
  await clock.advance(`${SILENCE_MS - clock.monotonicMs()}ms`);
  for (const { script, index } of calls) script.noteSignals(contract.calls[index]?.called ?? []);
  const { running, waiting, refused } = world.limit.snapshot();
  return {
    calls: calls.map((call) => ({
      outcome: call.outcome,
      endedAtMs: call.settled.map(({ atMs }) => atMs),
      called: call.script.called.map((called) => ({ ...called, remainingMs: rounded(called.remainingMs) })),
      events: call.told.map(({ event, atMs }) => ({
        type: event.eventType,
        atMs,
        payload: roundedAll(event.payload),
      })),
      report: reportJson(call.report, clock.wallMs() - clock.monotonicMs()),
      reports: call.planned.plan.door === 'builder' ? call.settled.length : call.reports.length,
      ...(call.planned.plan.signal !== 'none' && { listeners: call.listeners }),
    })),
    changes: world.changes,
    breaker: world.breaker.state,
    limit: { running, waiting, refused },
    pendingTimers: clock.pendingTimers,
  };
}

/** Without the noise of floating point. */
const rounded = (value: number): number => (Number.isFinite(value) ? Math.round(value * 1e6) / 1e6 : value);

function roundedAll(value: unknown): any {
  if (typeof value === 'number') return rounded(value);
  if (Array.isArray(value)) return value.map(roundedAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, roundedAll(part)]));
}

/** Without what is random, and without messages. */
function reportJson(report: ExecutionReport | undefined, startMs: number): unknown {
  if (report === undefined) return undefined;
  const json = roundedAll(JSON.parse(JSON.stringify(report)));
  const startedAt = ({ started_at: at, ...rest }: any) => ({
    ...rest,
    started_at_ms: Date.parse(at as string) - startMs,
  });
  const error = (found: any) =>
    found && { type: found.type, retryable: found.retryable, module: found.module };
  const { call_id: _id, operation_name: _name, attempts, last_error: lastError, ...others } = json;
  return {
    ...startedAt(others),
    attempts: attempts.map((attempt: any) => ({ ...startedAt(attempt), error: error(attempt.error) })),
    last_error: error(lastError),
  };
}
