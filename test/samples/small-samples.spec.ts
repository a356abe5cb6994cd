import { afterEach, describe, expect, it, jest } from '@jest/globals';

/** Runs a sample and gives the lines that it printed. */
async function printed(run: () => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => {
    lines.push(parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '));
  });
  await run();
  log.mockRestore();
  return lines.join('\n');
}

afterEach(() => void jest.restoreAllMocks());

describe('the small samples', () => {
  it('one-decorator tells a retried success and a failure', async () => {
    const text = await printed(() => import('../../samples/one-decorator.js'));
    const lines = text.split('\n');
    expect(lines[0]).toBe('sunny in Oslo');
    expect(lines[1]).toMatch(/^Weather\.today succeeded after .* s, 2 attempts$/);
    expect(lines[2]).toMatch(
      /^#1 failed after .*: Error \(the station does not answer\); waited .* s \(backoff\)$/,
    );
    expect(lines[3]).toMatch(/^#2 succeeded/);
    expect(lines[4]).toBe('RangeError: no such city');
    expect(lines[5]).toMatch(/^Weather\.today failed after .* s, 1 attempt$/);
    expect(lines[6]).toMatch(/^#1 failed after .*: RangeError \(no such city\)$/);
  });

  it('builder-and-report shows the whole account of a call that its second fallback answered', async () => {
    const text = await printed(() => import('../../samples/builder-and-report.js'));
    expect(text).toContain("circuit breaker 'bank'");
    expect(text).toContain('{"perEuro":11.3}');
    expect(text).toContain('"fallback_candidate_name": "yesterday"');
    const events = text.split('\n').flatMap((line) => /^[a-z_]+\.[a-z]+(?= )/.exec(line) ?? []);
    expect(events).toEqual([
      'operation.started',
      'attempt.started',
      'validation.failed',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.failed',
      'fallback.started',
      'validation.succeeded',
      'fallback.succeeded',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
  });

  it('fake-clock proves its point', async () => {
    expect(await printed(() => import('../../samples/fake-clock.js'))).toBe(
      [
        'three tries took 73 ms of the fake clock',
        'charge failed after 0 s, 1 attempt',
        "#1 refused: circuit breaker 'payments' is open; a call may pass in 30 s",
        'payments are back and the circuit breaker is closed',
      ].join('\n'),
    );
  });

  it('breaker-dashboard shows each rule open its breaker, and all of them close again', async () => {
    const text = await printed(() => import('../../samples/breaker-dashboard.js'));
    // On a busy machine it may open and close more often, and at other moments.
    for (const [name, by] of [
      ['too slow', 'slow_call_rate'],
      ['in a row', 'consecutive_failures'],
      ['half fail', 'failure_rate'],
    ] as const) {
      expect(text).toContain(`${name}: closed -> open (${by}) while the upstream is `);
      expect(text).toContain(`${name}: half_open -> closed while the upstream is `);
    }
    expect(text.split('\n').at(-1)).toMatch(/^in a row: \w+, half fail: \w+, too slow: \w+$/);
  }, 30_000);
});
