import { reportOf, resultOf, type ExecutionReport } from 'relprim';
import type { Client } from './clients.js';

/** What became of the jobs of one client. */
export interface Outcome {
  readonly reports: readonly ExecutionReport[];
  readonly seconds: number;
}

/** Does so many jobs, a few at a time; one that fails is lost. */
export async function doJobs(client: Client, jobs: number, atOnce: number): Promise<Outcome> {
  const startMs = performance.now();
  const reports: ExecutionReport[] = [];
  let left = jobs;
  async function worker(): Promise<void> {
    while (left > 0) {
      left -= 1;
      reports.push(await accountOf(client));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { reports, seconds: (performance.now() - startMs) / 1_000 };
}

async function accountOf(client: Client): Promise<ExecutionReport> {
  try {
    return (await resultOf(client.work())).report;
  } catch (error) {
    const report = reportOf(error);
    if (report === undefined) throw error;
    return report;
  }
}
