import { expect, it } from '@jest/globals';
import { CLIENTS, OF_EACH_KIND } from './clients.js';
import * as faults from './faults.js';
import { describeLimits } from './limits-of-time.js';
import { attemptsOf, PATIENT, scene } from './scene.js';
import { BODY } from './upstream.js';

describeLimits(OF_EACH_KIND);

it('steps of latency are told one by one: what passes below the timeout, fails above it', async () => {
  const { catalog, proxy, upstream, reports, breaker } = await scene(CLIENTS['undici']!, {
    policy: { ...PATIENT, retries: 0, timeout: '300ms', fallback: 'fromShelf' },
  });
  upstream.keeps = false;
  const answers: string[] = [];
  for (const latencyMs of [0, 20, 40, 400, 800, 40, 0]) {
    proxy.will(faults.late(latencyMs));
    answers.push(await catalog.read());
    const { durationSeconds } = reports.at(-1)!;
    expect(durationSeconds).toBeGreaterThanOrEqual(Math.min(0.299, (2 * latencyMs - 2) / 1_000));
  }
  const shelf = 'from the shelf';
  expect(answers).toEqual([BODY, BODY, BODY, shelf, shelf, BODY, BODY]);
  expect(reports.map((report) => attemptsOf(report)[0])).toEqual(
    answers.map((answer) => (answer === shelf ? 'timed_out' : 'succeeded')),
  );
  expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
});
