import * as z from 'zod/v4';
import type { ExecutionReport } from '../../report/execution-report.js';
import { tellBreaker } from '../breakers/breaker-stats.js';
import type { BreakerBook } from '../breakers/breaker-book.js';
import { knownBreaker } from '../breakers/definition.js';
import type { ExecutionHistory } from '../history/execution-history.js';
import { readReports } from '../history/read-reports.js';
import { reportJson, reportSchema } from '../history/report-schema.js';
import type { Random } from '../../time/random.js';
import { ArgumentError } from './argument-error.js';
import { READS } from './breaker-tools.js';
import { fence, REPORT_NOTICE, visible } from './fence.js';
import { defineTool, type Tool } from './tool.js';

const STATUSES = ['succeeded', 'failed', 'timed_out', 'cancelled'] as const;
/** A breaker is no column of a history, so more is looked through than is given. */
const LOOKED_THROUGH = 1_000;

const callId = z.string().min(1).max(200).describe('The callId of a result of reliable_http_call');

/** The name of an operation of this server begins with its breaker. */
export function breakerOf({ operationName }: ExecutionReport): string {
  return operationName.split(' ', 1)[0] ?? '';
}

export function recentExecutions(history: ExecutionHistory): Tool {
  return defineTool({
    name: 'recent_executions',
    title: 'Recent calls',
    description: 'The latest calls, newest first: when, how long, how many attempts, and how each ended.',
    annotations: READS,
    input: z.strictObject({
      limit: z.int().min(1).max(100).default(20),
      breaker: knownBreaker.optional().describe('Calls through this breaker only'),
      operation: z.string().min(1).max(400).optional().describe('Calls of this operation only'),
      status: z.enum(STATUSES).optional(),
    }),
    output: z.object({
      executions: z.array(
        z.object({
          callId: z.string(),
          operation: z.string(),
          status: z.enum(STATUSES),
          startedAt: z.string(),
          durationSeconds: z.number(),
          attempts: z.int(),
          error: z.string().nullable(),
        }),
      ),
    }),
    run: async ({ limit, breaker, operation, status }) => {
      const found = await readReports(history, {
        limit: LOOKED_THROUGH,
        ...(status !== undefined && { statuses: [status] }),
      });
      const wanted = found
        .filter((report) => breaker === undefined || breakerOf(report) === breaker)
        .filter((report) => operation === undefined || report.operationName === operation)
        .slice(0, limit);
      const executions = wanted.map(summaryOf);
      const lines = executions.map(
        (one) => `${one.callId} ${one.startedAt} ${one.operation}: ${one.status}, ${one.attempts} attempts`,
      );
      return { structured: { executions }, texts: [lines.join('\n') || 'no call yet'] };
    },
  });
}

function summaryOf(report: ExecutionReport) {
  return {
    callId: report.callId,
    operation: report.operationName,
    status: report.status,
    startedAt: report.startedAt.toISOString(),
    durationSeconds: report.durationSeconds,
    attempts: report.attemptCount,
    error:
      report.lastError === null ? null : visible(`${report.lastError.type}: ${report.lastError.message}`),
  };
}

async function find(history: ExecutionHistory, id: string): Promise<ExecutionReport> {
  const [found] = await readReports(history, { callId: id, limit: 1 });
  if (found !== undefined) return found;
  throw new ArgumentError('callId: no such call is remembered; recent_executions lists those that are');
}

export function getExecution(history: ExecutionHistory, random: Random): Tool {
  return defineTool({
    name: 'get_execution',
    title: 'Report of a call',
    description: 'The exact account of one call: each attempt, how it ended, and what was waited for.',
    annotations: READS,
    input: z.strictObject({ callId }),
    output: z.object({ report: reportSchema }),
    run: async (args) => {
      const report = reportJson(await find(history, args.callId));
      return {
        structured: { report },
        texts: [fence(JSON.stringify(report, null, 2), REPORT_NOTICE, random)],
      };
    },
  });
}

export function explainExecution(history: ExecutionHistory, book: BreakerBook, random: Random): Tool {
  return defineTool({
    name: 'explain_execution',
    title: 'Explain a call',
    description:
      'The story of one call in plain words, one line for each attempt, and how its breaker stands now.',
    annotations: READS,
    input: z.strictObject({ callId }),
    output: z.object({ explanation: z.string(), breakerNow: z.string().nullable() }),
    run: async (args) => {
      const report = await find(history, args.callId);
      const name = breakerOf(report);
      const breakerNow = book.has(name) ? tellBreaker(book.stats(name)) : null;
      const explanation = visible(report.explain());
      const now = breakerNow === null ? '' : `\nnow: ${breakerNow}`;
      return {
        structured: { explanation, breakerNow },
        texts: [fence(explanation, REPORT_NOTICE, random) + now],
      };
    },
  });
}
