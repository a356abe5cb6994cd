import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { scenarios } from './arbitraries.js';
import { playReal, playReference } from './play.js';
import { Tie } from './reference-world.js';
import type { Scenario } from './scenario.js';

type Contract = ReturnType<typeof playReference>;

/** What the contract says, or nothing where it leaves two things to a draw. */
function contractOf(scenario: Scenario): Contract | undefined {
  try {
    return playReference(scenario);
  } catch (error) {
    if (error instanceof Tie) return undefined;
    throw error;
  }
}

/** What has been seen: a model that never gets anywhere would prove nothing. */
export class Seen {
  readonly counts = new Map<string, number>();

  note({ calls }: Contract): void {
    for (const { outcome, events, report } of calls) {
      this.add(`${outcome.end}: ${(report?.['status'] ?? 'never ends') as string}`);
      for (const { type } of events) this.add(type);
    }
  }

  private add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

/** Whatever the reference says: attempts, waits and waits in line fill a call without a gap. */
function holdSums(report: any): void {
  const parts = report.attempts.map((attempt: any) => attempt.duration_seconds + attempt.waited_seconds);
  const sum = parts.reduce((left: number, right: number) => left + right, 0);
  const inLine = report.metadata.admission_wait_seconds ?? 0;
  expect(Math.abs(sum + inLine - report.duration_seconds)).toBeLessThan(0.001);
}

/** Every scenario goes as the contract says. */
export function goesByTheContract(seen: Seen) {
  return fc.asyncProperty(scenarios, async (scenario) => {
    const contract = contractOf(scenario);
    fc.pre(contract !== undefined);
    seen.note(contract);
    const real = await playReal(scenario, contract);
    for (const { report } of real.calls) if (report !== undefined) holdSums(report);
    // The other one explains what differs, and takes its time.
    if (!isDeepStrictEqual(real, contract)) expect(real).toEqual(contract);
  });
}
