import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { currentAttempt, Resilient, type ExecutionReport } from '../../lib/index.js';
import { noWait, rejectionOf, World } from './support.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('onReport', () => {
  class Jobs {
    readonly reports: ExecutionReport[] = [];

    @Resilient({
      name: 'job',
      retries: 1,
      backoff: noWait,
      timeout: '2s',
      fallback: 'instead',
      fallbackOn: [RangeError],
      signal: (_work: unknown, signal?: AbortSignal) => signal,
      onReport(this: Jobs, report: ExecutionReport) {
        this.reports.push(report);
      },
    })
    async run(work: () => unknown, _signal?: AbortSignal): Promise<unknown> {
      return work();
    }
    async instead(): Promise<string> {
      return 'instead';
    }
  }

  const caller = new AbortController();
  const hang = (): Promise<never> => new Promise<never>(() => undefined);
  const fail = (error: unknown) => () => Promise.reject(error);

  it.each<[string, (jobs: Jobs) => Promise<unknown>, Partial<ExecutionReport>]>([
    ['a success', (jobs) => jobs.run(() => 1), { status: 'succeeded', attemptCount: 1 }],
    ['a failure', (jobs) => jobs.run(fail(new Error('x'))), { status: 'failed', attemptCount: 2 }],
    ['a fallback', (jobs) => jobs.run(fail(new RangeError('x'))), { status: 'succeeded', attemptCount: 3 }],
    ['a timeout', (jobs) => jobs.run(hang), { status: 'timed_out', attemptCount: 2, durationSeconds: 4 }],
    [
      'a cancellation',
      (jobs) => jobs.run(() => (caller.abort(), hang()), caller.signal),
      { status: 'cancelled', attemptCount: 1 },
    ],
    [
      'a call cancelled beforehand',
      (jobs) => jobs.run(hang, AbortSignal.abort()),
      { status: 'cancelled', attemptCount: 0 },
    ],
    [
      'a misuse',
      (jobs) => jobs.run(() => Promise.resolve().then(() => currentAttempt())),
      { status: 'failed', attemptCount: 1 },
    ],
    ['a thrown text', (jobs) => jobs.run(fail('boom')), { status: 'failed', attemptCount: 2 }],
  ])('gets the report of %s exactly once, with the instance as this', async (_what, call, expected) => {
    const world = new World();
    const jobs = world.adopt(new Jobs());
    await world.clock.settle(call(jobs).catch(() => undefined));
    await world.clock.advance('1m');
    expect(jobs.reports).toHaveLength(1);
    expect(jobs.reports[0]).toMatchObject({ operationName: 'job', ...expected });
  });

  it('is told before the caller goes on', async () => {
    const order: string[] = [];
    class Client {
      @Resilient({ onReport: ({ status }) => order.push(status) })
      async read(fails: boolean): Promise<void> {
        if (fails) throw new Error('down');
      }
    }
    const client = new Client();
    await client.read(false).then(() => order.push('value'));
    await client.read(true).catch(() => order.push('error'));
    expect(order).toEqual(['succeeded', 'value', 'failed', 'error']);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new RangeError('full');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('full'))],
  ])('that %s never reaches the call; it is a warning', async (_what, onReport) => {
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    class Client {
      @Resilient({ onReport })
      async read(fails: boolean): Promise<string> {
        if (fails) throw new Error('down');
        return 'read';
      }
    }
    const client = new Client();
    expect(await client.read(false)).toBe('read');
    expect(await rejectionOf(client.read(true))).toEqual(new Error('down'));
    const warning = ['a listener to reports of Client.read failed with RangeError', { code: 'RELPRIM' }];
    expect(warnings.mock.calls).toEqual([warning, warning]);
  });

  it('that is slow does not hold the call up', async () => {
    class Client {
      @Resilient({ onReport: () => new Promise(() => undefined) })
      async read(): Promise<string> {
        return 'read';
      }
    }
    expect(await new Client().read()).toBe('read');
  });
});
