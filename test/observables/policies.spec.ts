import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, Observable, of, throwError } from 'rxjs';
import {
  CircuitBreaker,
  fallbackChain,
  FallbackChainError,
  OperationExecutionError,
  reportOf,
  Resilient,
  validator,
} from '../../lib/index.js';
import { World } from '../decorator/support.js';
import { everySeconds } from '../operation/support.js';
import { attemptsOf, fails, gives, scene, Upstream } from './support.js';

const down = new Error('down');
const noWait = everySeconds(0);

describe('a fallback of an Observable method', () => {
  it.each([
    ['an Observable', () => of('stand-in')],
    ['a promise', () => Promise.resolve('stand-in')],
    ['a value', () => 'stand-in'],
  ])('may give %s, as a function or as a method', async (_what, standIn) => {
    const world = new World();
    class Client {
      @Resilient({ fallback: standIn as () => Observable<string> })
      byFunction(_id: string): Observable<string> {
        return throwError(() => down);
      }
      @Resilient({ fallback: 'standIn' } as object)
      byName(_id: string): Observable<string> {
        return throwError(() => down);
      }
      standIn(id: string): unknown {
        expect([id, this]).toEqual(['a', client]);
        return standIn();
      }
    }
    const client: Client = world.adopt(new Client());
    expect(await firstValueFrom(client.byFunction('a'))).toBe('stand-in');
    expect(await firstValueFrom(client.byName('a'))).toBe('stand-in');
  });

  it('is one of a chain, tried in order; a value that merely has methods stays one', async () => {
    const letter = { subscribe: () => 'to the letter' };
    const { outcome, reports } = scene<unknown>(() => throwError(() => down), {
      fallbacks: fallbackChain(
        ['first', () => throwError(() => new RangeError('one'))],
        ['second', () => letter],
      ),
    });
    expect(await outcome()).toEqual([['next', letter], ['complete']]);
    expect(reports[0]?.metadata).toMatchObject({ fallback_used: true, fallback_candidate_index: 1 });
  });

  it('that fails as well makes the subscriber fail, as with promises', async () => {
    const other = new RangeError('other');
    const single = scene(() => throwError(() => down), { fallback: () => throwError(() => other) });
    expect(await single.outcome()).toEqual([['error', other]]);
    const chain = scene(() => throwError(() => down), {
      fallbacks: fallbackChain(['a', () => throwError(() => other)], ['b', () => Promise.reject(other)]),
    });
    const [[, error]] = (await chain.outcome()) as [[string, FallbackChainError]];
    expect(error).toBeInstanceOf(FallbackChainError);
    expect([error.primaryFailure, error.failures]).toEqual([down, [other, other]]);
  });
});

describe('the value of a source', () => {
  it('is validated, and a bad one is a failure that is retried and recorded', async () => {
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 2 });
    const upstream = new Upstream(gives(1), gives(3), gives(4));
    const { outcome, reports } = scene(upstream.call, {
      validate: [
        validator('even', async (n: number) => n % 2 === 0, { message: 'odd' }),
        validator('large', (n: number) => n > 2, { message: 'small' }),
      ],
      retries: 1,
      backoff: noWait,
      circuitBreaker,
    });
    expect(await outcome()).toEqual([
      ['error', expect.objectContaining({ name: 'ValidationFailedError', reason: 'odd' })],
    ]);
    expect(attemptsOf(reports[0])).toBe('failed failed');
    expect(circuitBreaker.snapshot().state).toBe('open');
  });
});

describe('the error that the subscriber is told', () => {
  it('is the own one, with a report', async () => {
    const { outcome } = scene(() => throwError(() => down), { retries: 1, backoff: noWait });
    expect(await outcome()).toEqual([['error', down]]);
    expect(reportOf(down)).toMatchObject({ operationName: 'Client.get', status: 'failed' });
    expect(attemptsOf(reportOf(down))).toBe('failed failed');
  });

  it("is an OperationExecutionError with throws: 'execution-error'", async () => {
    const { outcome } = scene(() => throwError(() => down), { throws: 'execution-error' });
    const [[, error]] = (await outcome()) as [[string, OperationExecutionError]];
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect([error.cause, error.report.status]).toEqual([down, 'failed']);
  });

  it('is what an event sink threw, where sinks may do that', async () => {
    const upstream = new Upstream(gives(1));
    const { outcome, sink } = scene(upstream.call);
    sink.emit = () => {
      throw down;
    };
    expect(await outcome()).toEqual([['error', down]]);
    expect(upstream.calls).toEqual([]);
  });
});

describe('idempotent: false', () => {
  it('does not subscribe again after a timeout', async () => {
    const upstream = new Upstream<number>(() => undefined);
    const { outcome } = scene(upstream.call, { idempotent: false, timeout: '1s', retries: 3 });
    expect(await outcome()).toEqual([['error', expect.objectContaining({ name: 'OperationTimeoutError' })]]);
    expect(upstream.subscriptions).toBe(1);
  });

  it('still does after a failure', async () => {
    const upstream = new Upstream<number>(fails(down), gives(1));
    const { outcome } = scene(upstream.call, {
      idempotent: false,
      timeout: '1s',
      retries: 3,
      backoff: noWait,
    });
    expect(await outcome()).toEqual([['next', 1], ['complete']]);
  });
});
