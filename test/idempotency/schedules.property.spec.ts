import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attemptSignal, IdempotencyPolicy, type OperationResult } from '../../lib/index.js';
import { keyedPlan } from '../../lib/operation/keyed/keyed-plan.js';
import type { Plan } from '../../lib/operation/plan.js';
import { FakeClock } from '../../lib/testing/index.js';
import { everySeconds, listenersOf, scene } from '../operation/support.js';
import { Elsewhere, turns, UnrulyStore } from './unruly-store.js';

const seconds = fc.integer({ min: 1, max: 9 });
const pace = fc.constantFrom('now', 'now', 'soon', 'soon', 'soon', 'slow');
const script = <T extends string>(...ends: T[]) =>
  fc.array(fc.record({ pace, end: fc.constantFrom(...ends) }), { minLength: 1, maxLength: 8 });
const worlds = fc.record({
  scheduler: fc.scheduler(),
  answers: script('good', 'good', 'good', 'good', 'rejects', 'throws', 'lost'),
  works: script('good', 'good', 'good', 'fails', 'nests', 'reenters'),
  callers: fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b'),
      payload: fc.constantFrom('x', 'x', 'x', 'y'),
      hasty: fc.boolean(),
      aborts: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  policy: fc.record({
    onInFlight: fc.constantFrom('join', 'join', 'reject'),
    onStoreError: fc.constantFrom('fail', 'run'),
    detectReentry: fc.boolean(),
    cacheFallback: fc.boolean(),
    comparesPayloads: fc.boolean(),
  }),
  watchRejects: fc.boolean(),
  isAwaited: fc.boolean(),
  fallback: fc.boolean(),
  retries: fc.integer({ min: 0, max: 1 }),
  ticks: fc.array(seconds, { maxLength: 4 }),
  others: fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), seconds, end: fc.constantFrom('frees', 'keeps') }),
    { maxLength: 3 },
  ),
});
type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never;

/** What may end a call beside its own abort. */
const FAILURES = new Set([
  'Error',
  'OperationTimeoutError',
  'IdempotencyConflictError',
  'IdempotencyInFlightError',
  'IdempotencyReentryError',
  'IdempotencyResultUnavailableError',
  'IdempotencyStoreError',
]);

interface Value {
  readonly key: string;
  readonly in: object;
}

/** Lets a world run to its end, and looks at everything that must hold meanwhile. */
async function live(world: World): Promise<void> {
  const { scheduler, answers, works, callers, ticks, others } = world;
  const { comparesPayloads, ...policy } = world.policy;
  const clock = new FakeClock();
  const elsewhere = new Elsewhere(clock, scheduler);
  const store = new UnrulyStore(elsewhere, turns(answers), world.watchRejects, world.isAwaited);
  const given: Value[] = [];
  const wrongs: string[] = [];
  const signals: AbortSignal[] = [];
  let open = 0;

  const running = new Map<string, AbortSignal[]>();
  const workTurn = turns(works);
  const work = (key: string): unknown => {
    const signal = attemptSignal() as AbortSignal;
    const atOnce = (running.get(key) ?? []).filter((other) => !other.aborted);
    if (atOnce.length > 0) wrongs.push(`two executions of ${key}`);
    if (policy.onStoreError === 'fail' && !store.isOwned(`op\u0000${key}`)) wrongs.push(`${key} is not ours`);
    running.set(key, [...atOnce, signal]);
    const end = (): void =>
      void running.set(
        key,
        (running.get(key) ?? []).filter((other) => other !== signal),
      );
    const turn = workTurn();
    const delay = elsewhere.delay(turn, `work ${key}`);
    const answer = (): unknown => {
      if (turn.end === 'fails') throw new Error('no');
      if (turn.end === 'nests' && key < 'c') return call(key === 'a' ? 'b' : 'c', 'x', false, undefined);
      // Where nobody looks, it would wait for itself.
      if (turn.end === 'reenters' && policy.detectReentry) return call(key, 'x', false, undefined);
      return { key, in: {} };
    };
    return (delay ?? Promise.resolve())
      .then(answer)
      .then((value) => ({ key, in: {}, of: value }))
      .finally(end);
  };

  const idempotency = new IdempotencyPolicy({
    ...policy,
    key: (key: string, _payload: string) => key,
    fingerprint: comparesPayloads ? (_key: string, payload: string) => payload : undefined,
    store,
    scope: 'op',
  });
  const operation = (deadline?: number) =>
    scene(
      work,
      {
        idempotency,
        deadline,
        retries: world.retries,
        backoff: everySeconds(2),
        fallback: world.fallback ? (key: string) => ({ key, in: {} }) : undefined,
        signal: (_key: string, _payload: string, signal?: AbortSignal) => signal,
      },
      clock,
    );
  const [patient, hasty] = [operation(), operation(5)];

  async function call(key: string, payload: string, isHasty: boolean, signal?: AbortSignal): Promise<void> {
    open += 1;
    try {
      const run = (isHasty ? hasty : patient).run as (...args: unknown[]) => Promise<OperationResult<Value>>;
      const { value, report } = await run(key, payload, signal);
      given.push(value);
      if (value.key !== key || !report.succeeded) wrongs.push(`${key} was given the value of ${value.key}`);
    } catch (error) {
      if (error === signal?.reason && signal?.aborted === true) return;
      const { name, cause } = error as { name: string; cause?: { name: string } };
      if (!FAILURES.has(name === 'OperationExecutionError' ? String(cause?.name) : name))
        wrongs.push(`${key} failed with ${String(error)}`);
    } finally {
      open -= 1;
    }
  }

  const step = (label: string, act: () => void): void => void elsewhere.soon(label).then(act);
  let unstarted = callers.length;
  callers.forEach(({ key, payload, hasty: isHasty, aborts }, caller) => {
    const controller = new AbortController();
    signals.push(controller.signal);
    step(`start ${caller}`, () => {
      unstarted -= 1;
      void call(key, payload, isHasty, controller.signal);
    });
    if (aborts) step(`abort ${caller}`, () => controller.abort(`gone ${caller}`));
  });
  for (const tick of ticks) step('tick', () => void clock.advance(tick));
  for (const { key, seconds: length, end } of others)
    step(`other ${key}`, () => store.ownElsewhere(`op\u0000${key}`, length * 1_000, end));

  for (let rounds = 0; open + unstarted > 0 && rounds < 2_000; rounds += 1) {
    await scheduler.waitAll();
    await clock.advance('1s');
  }
  const flights = keyedPlan('any', idempotency, {} as Plan).spaceFor(undefined).flights;
  expect([open, unstarted]).toEqual([0, 0]);
  // Work that another process may wait for goes on for a while.
  if (!world.isAwaited) expect(clock.pendingTimers).toBe(elsewhere.timers);
  expect(signals.map(listenersOf)).toEqual(signals.map(() => 0));
  expect(store.watches.map(({ aborted }) => aborted)).toEqual(store.watches.map(() => true));
  // Answers and outcomes that nobody waits for may still be on their way.
  for (let rounds = 0; open + elsewhere.timers + scheduler.count() > 0 && rounds < 2_000; rounds += 1) {
    await scheduler.waitAll();
    await clock.advance('1m');
  }
  expect(wrongs).toEqual([]);
  expect([flights.size, store.ownedKeys, clock.pendingTimers]).toEqual([0, [], 0]);
  expect(store.given.map(({ ends }) => ends)).toEqual(store.given.map(() => 1));
  const objects = given.flatMap((value) => [value, value.in]);
  expect(new Set(objects).size).toBe(objects.length);
}

describe('calls with keys, whatever comes first', () => {
  it('are one execution at a time for each key, and all end, and leave nothing behind', async () => {
    await fc.assert(fc.asyncProperty(worlds, live), { numRuns: 300 });
  }, 120_000);
});
