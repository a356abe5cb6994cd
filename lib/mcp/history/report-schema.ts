import * as z from 'zod/v4';
import type { ExecutionReport } from '../../report/execution-report.js';
import { visible } from '../tools/fence.js';

/** A report under its wire names, which `docs/concepts.md` explains. */
export const reportSchema = z
  .looseObject({
    operation_name: z.string(),
    status: z.enum(['succeeded', 'failed', 'timed_out', 'cancelled']),
    started_at: z.string(),
    duration_seconds: z.number(),
    attempt_count: z.int(),
    retry_count: z.int(),
    attempts: z.array(z.looseObject({ attempt_number: z.int(), status: z.string() })),
    call_id: z.string(),
  })
  .describe('The exact account of the call: each attempt, how it ended, and what was waited for');

/** As plain JSON, without letters that no screen shows. What is read from a file may not be what a report is today. */
export function reportJson(report: ExecutionReport): z.output<typeof reportSchema> {
  const show = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? visible(value) : value;
  return JSON.parse(JSON.stringify(report), show) as z.output<typeof reportSchema>;
}
