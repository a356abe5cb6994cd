import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionReport } from 'relprim';

/** Writes every report as one line of JSON into a new file; gives its path. */
export async function writeReports(folder: string, reports: readonly ExecutionReport[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const startedAt = new Date().toISOString().replaceAll(':', '-');
  const path = join(folder, `${startedAt}-${process.pid}.jsonl`);
  await writeFile(path, reports.map((report) => `${JSON.stringify(report)}\n`).join(''));
  return path;
}
