import { describe, expect, it, jest } from '@jest/globals';
import { TokenBucket } from '../../samples/rate-limit/token-bucket.js';

describe('the token bucket', () => {
  it('gives what is in it, then what comes in, and never more than it holds', () => {
    let nowMs = 0;
    const bucket = new TokenBucket(2, 4, () => nowMs);
    const takes = (atMs: number) => ((nowMs = atMs), bucket.take());
    expect([0, 0, 0, 249, 250, 250, 10_000, 10_000, 10_000].map(takes)).toEqual([
      ...[true, true, false],
      ...[false, true, false],
      ...[true, true, false],
    ]);
  });

  it('says in whole seconds when to come back', () => {
    const seconds = (perSecond: number): number => {
      const bucket = new TokenBucket(1, perSecond, () => 0);
      bucket.take();
      return bucket.retryAfterSeconds;
    };
    expect([4, 1, 0.5, 0.3].map(seconds)).toEqual([1, 1, 2, 4]);
  });
});

it('the sample shows a client that gets all of its work done, and one that does not', async () => {
  const lines: string[] = [];
  const log = jest
    .spyOn(console, 'log')
    .mockImplementation((text: string) => void lines.push(...text.split('\n')));
  await import('../../samples/rate-limit/main.js');
  log.mockRestore();
  const rowOf = (name: string): number[] => {
    const row = lines.find((line) => line.startsWith(name)) ?? '';
    return row.split(/ {2,}/).slice(1).map(parseFloat);
  };
  const [requests = NaN, refused = NaN, done, lost, seconds] = rowOf('obedient');
  expect([done, lost, requests - refused]).toEqual([14, 0, 14]);
  expect(seconds).toBeGreaterThanOrEqual(1.9);
  const stubborn = rowOf('stubborn');
  expect((stubborn[2] ?? NaN) + (stubborn[3] ?? NaN)).toBe(14);
  expect(stubborn[1]).toBeGreaterThan(refused);
  expect(
    lines.filter((line) => /the provider asked for 1 s; waited 1(\.\d+)? s \(provider\)/.test(line)),
  ).not.toEqual([]);
  expect(lines.filter((line) => /; waited 0\.\d+ s \(backoff\)/.test(line))).not.toEqual([]);
}, 30_000);
