import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import {
  CircuitBreaker,
  currentAttempt,
  EventEmitter,
  InMemoryEventSink,
  resilient,
  Resilient,
  resultOf,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';

class Db {
  readonly password = 'SECRET-PASSWORD';
  shown: string[] = [];

  @Resilient({ circuitBreaker: new CircuitBreaker({ name: 'db' }), timeout: '1s' })
  async login(_user: string, _password: string): Promise<number> {
    const attempt = currentAttempt();
    this.shown.push(inspect(attempt, { depth: 9 }), JSON.stringify(attempt));
    return 1;
  }
}

describe('what a log line shows', () => {
  it('of a promise that nobody awaited is the name of the operation', async () => {
    const promise = new Db().login('ada', 'SECRET-ARGUMENT');
    const pending = inspect({ promise });
    expect(pending).toContain('<Db.login>');
    expect(pending).not.toMatch(/SECRET|dueMs|plan/);
    await promise;
    // Node 24 writes symbol keys without brackets.
    expect(inspect(promise)).toMatch(/Symbol\(relprim\/call\)\]?: <Db\.login>/);
  });

  it('of the running attempt is what it is, and never its arguments', async () => {
    const db = new Db();
    const { report } = await resultOf(db.login('ada', 'SECRET-ARGUMENT'));
    const { callId } = report;
    const json = { number: 1, kind: 'primary', operation_name: 'Db.login', call_id: callId };
    expect(db.shown.map((text) => text.includes('SECRET'))).toEqual([false, false]);
    expect(JSON.parse(db.shown[1] as string)).toEqual(json);
    expect(db.shown[0]).toContain(callId);
  });

  it('of a breaker is its snapshot', () => {
    const breaker = new CircuitBreaker({ name: 'db' });
    expect(inspect(breaker)).toBe(inspect(breaker.snapshot()));
  });

  it('of a result and of an event is all of it', async () => {
    const sink = new InMemoryEventSink();
    const events = new EventEmitter({ sinks: [sink] });
    const one = resilient({ name: 'one', events, clock: new FakeClock() }, async () => ({ id: 7 }));
    const result = await one();
    expect(inspect(result)).toBe(inspect({ value: result.value, report: result.report }));
    expect(Object.keys(result)).toEqual(['value']);
    const [started] = sink.events();
    expect(inspect(started)).toBe(inspect(started?.toJSON()));
    expect(inspect(started)).toContain('retry_enabled: false');
  });
});
