import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstValueFrom, Observable } from 'rxjs';
import {
  CircuitBreaker,
  EventEmitter,
  InMemoryEventSink,
  Resilient,
  type ExecutionReport,
  type MethodOptions,
} from '../../lib/index.js';
import { World } from '../decorator/support.js';
import { everySeconds } from '../operation/support.js';
import './support.js';

/** What one attempt does, and how long it takes. */
interface Step {
  readonly kind: 'gives' | 'fails' | 'throws' | 'hangs';
  readonly seconds: number;
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>('gives', 'fails', 'throws', 'hangs'),
    seconds: fc.integer({ min: 0, max: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const policies = fc.record({
  retries: fc.integer({ min: 0, max: 3 }),
  wait: fc.integer({ min: 0, max: 3 }),
  timeout: fc.option(fc.integer({ min: 1, max: 3 })),
  deadline: fc.option(fc.integer({ min: 2, max: 12 })),
  threshold: fc.option(fc.integer({ min: 1, max: 3 })),
  odd: fc.boolean(),
  fallback: fc.boolean(),
});
type Policies = typeof policies extends fc.Arbitrary<infer P> ? P : never;

function optionsFrom(chosen: Policies): MethodOptions {
  return {
    retries: chosen.retries,
    backoff: everySeconds(chosen.wait),
    timeout: chosen.timeout ?? false,
    deadline: chosen.deadline ?? false,
    circuitBreaker:
      chosen.threshold === null
        ? false
        : new CircuitBreaker({ name: 'b', failureThreshold: chosen.threshold, recoveryTimeout: 3 }),
    validate: chosen.odd ? (value: unknown) => value !== 2 : false,
    fallback: chosen.fallback ? () => 'stand-in' : false,
  };
}

/** Three calls of one method, and everything that can be seen of them. */
async function account(script: readonly Step[], chosen: Policies, returns: 'promise' | 'observable') {
  const world = new World();
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  let attempts = 0;
  const step = (settle: (value: unknown) => void, fail: (reason: unknown) => void): void => {
    attempts += 1;
    const { kind, seconds } = script[(attempts - 1) % script.length] as Step;
    const value = attempts;
    if (kind === 'throws') throw new Error(`thrown ${value}`);
    if (kind === 'hangs') return;
    world.clock.setTimer(
      () => (kind === 'gives' ? settle(value) : fail(new Error(`failed ${value}`))),
      seconds * 1_000,
    );
  };
  const options = {
    ...optionsFrom(chosen),
    returns,
    events: new EventEmitter({ sinks: [sink] }),
    onReport: (report: ExecutionReport) => reports.push(report),
  };
  class Client {
    @Resilient(options as object)
    get(): any {
      if (returns === 'promise') return new Promise(step);
      return new Observable((subscriber) =>
        step(
          (value) => (subscriber.next(value), subscriber.complete()),
          (reason) => subscriber.error(reason),
        ),
      );
    }
  }
  const client = world.adopt(new Client());
  const outcomes: unknown[] = [];
  for (let call = 0; call < 3; call += 1) {
    const asked = returns === 'promise' ? (client.get() as Promise<unknown>) : firstValueFrom(client.get());
    outcomes.push(await world.clock.settle(asked.catch((error: unknown) => String(error))));
  }
  const elapsedMs = world.clock.monotonicMs();
  await world.clock.advance('1m'); // for what answers too late
  const facts = { outcomes, attempts, elapsedMs, timers: world.clock.pendingTimers };
  return {
    ...facts,
    events: sink.events().map((event) => ({ ...event.toJSON(), call_id: '' })),
    reports: reports.map((report) => ({ ...report.toJSON(), call_id: '' })),
  };
}

/** Without a timeout or a deadline something that hangs would hang for ever. */
const ends = ([script, { timeout, deadline }]: readonly [readonly Step[], Policies]): boolean =>
  timeout !== null || deadline !== null || script.every(({ kind }) => kind !== 'hangs');

describe('a method that returns Observables', () => {
  it('has the outcomes, events, reports and times of one that returns promises, whatever its policies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(steps, policies).filter(ends), async ([script, chosen]) => {
        const promised = await account(script, chosen, 'promise');
        const observed = await account(script, chosen, 'observable');
        expect(observed).toEqual(promised);
        expect(observed.timers).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
