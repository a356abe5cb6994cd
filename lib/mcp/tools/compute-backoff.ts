import * as z from 'zod/v4';
import { ExponentialBackoff } from '../../backoff/exponential-backoff.js';
import { seconds } from '../../report/explain.js';
import { seededRandom, type Random } from '../../time/random.js';
import { READS } from './breaker-tools.js';
import { defineTool, type Tool } from './tool.js';

/** The delays that `reliable_http_call` would wait, without waiting. */
export function computeBackoff(random: Random): Tool {
  return defineTool({
    name: 'compute_backoff',
    title: 'Preview back-off delays',
    description:
      'How long a call would wait before each retry, in seconds. Nothing is called and nothing is waited for.',
    annotations: READS,
    input: z.strictObject({
      attempts: z.int().min(1).max(100).default(5).describe('Attempts, the first included: one delay less'),
      baseDelaySeconds: z.number().min(0).max(60).default(0.2),
      maxDelaySeconds: z.number().min(0).max(3_600).default(30),
      factor: z.number().min(1).max(10).default(2),
      jitter: z
        .union([z.number().min(0).max(1), z.literal('full')])
        .default(0.1)
        .describe('A share, 0.1 for plus or minus 10 %, or "full" for anywhere from 0 to the delay'),
      seed: z.int().optional().describe('The same seed gives the same delays'),
    }),
    output: z.object({ delaysSeconds: z.array(z.number()), totalSeconds: z.number() }),
    run: ({ attempts, baseDelaySeconds, maxDelaySeconds, factor, jitter, seed }) => {
      const backoff = new ExponentialBackoff({
        baseDelay: Math.min(baseDelaySeconds, maxDelaySeconds),
        maxDelay: maxDelaySeconds,
        multiplier: factor,
        jitter: jitter === 'full' || (jitter === 0 ? false : { percent: jitter * 100 }),
      });
      const chance = seed === undefined ? random : seededRandom(seed);
      const delaysSeconds = Array.from({ length: attempts - 1 }, (_, index) =>
        backoff.delayForRetry(index + 1, chance),
      );
      const totalSeconds = delaysSeconds.reduce((sum, delay) => sum + delay, 0);
      const list = delaysSeconds.map(seconds).join(', ');
      const text = list === '' ? 'no retry, no wait' : `${list}; ${seconds(totalSeconds)} in all`;
      return { structured: { delaysSeconds, totalSeconds }, texts: [text] };
    },
  });
}
