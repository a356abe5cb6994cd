import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { BreakerBook } from '../breakers/breaker-book.js';
import type { Random } from '../../time/random.js';
import type { ExecutionHistory } from '../history/execution-history.js';
import { HistoryError, readReports } from '../history/read-reports.js';
import { ArgumentError } from '../tools/argument-error.js';
import { fence, REPORT_NOTICE } from '../tools/fence.js';
import { breakerOf } from '../tools/history-tools.js';

const PROMPT = {
  name: 'diagnose_breaker',
  title: 'Diagnose a circuit breaker',
  description: 'What the state and the latest calls of a breaker say about the health of its dependency',
  arguments: [{ name: 'name', description: 'The name of the breaker', required: true }],
};
const CALLS_TOLD = 5;
const MOST_COMPLETIONS = 100;

export function servePrompts(
  server: Server,
  book: BreakerBook,
  history: ExecutionHistory,
  random: Random,
): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [PROMPT] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    if (params.name !== PROMPT.name)
      throw new McpError(ErrorCode.InvalidParams, `there is no such prompt; the one here is ${PROMPT.name}`);
    const text = await diagnosis(params.arguments?.['name'], { book, history, random });
    return {
      description: PROMPT.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    };
  });
  // Both the prompt and the resource have one argument, and it is the name of a breaker.
  server.setRequestHandler(CompleteRequestSchema, ({ params: { argument } }) => {
    const values = book.names().filter((name) => argument.name === 'name' && name.startsWith(argument.value));
    return {
      completion: {
        values: values.slice(0, MOST_COMPLETIONS),
        total: values.length,
        hasMore: values.length > MOST_COMPLETIONS,
      },
    };
  });
}

interface DiagnosisParts {
  readonly book: BreakerBook;
  readonly history: ExecutionHistory;
  readonly random: Random;
}

async function diagnosis(name: unknown, { book, history, random }: DiagnosisParts): Promise<string> {
  if (typeof name !== 'string')
    throw new McpError(ErrorCode.InvalidParams, 'name: give the name of a breaker');
  let stats: string;
  try {
    stats = JSON.stringify(book.stats(name), null, 2);
  } catch (error) {
    if (error instanceof ArgumentError) throw new McpError(ErrorCode.InvalidParams, error.message);
    throw error;
  }
  const calls = await latestCalls(name, history);
  return `Diagnose the health of the dependency behind the circuit breaker "${name}".

Its state and numbers:
${fence(stats, REPORT_NOTICE, random)}

Its latest calls, newest first:
${fence(calls, REPORT_NOTICE, random)}

Say, in this order: whether the dependency is healthy, degraded or down, and what shows it; what kind of failure it is
(refused, slow, limited, wrong answers); when a call may pass again; and what to do meanwhile. Do not advise to retry
while the breaker is open.`;
}

async function latestCalls(breaker: string, history: ExecutionHistory): Promise<string> {
  try {
    const reports = (await readReports(history, { limit: 1_000 }))
      .filter((report) => breakerOf(report) === breaker)
      .slice(0, CALLS_TOLD);
    return reports.map((report) => report.explain()).join('\n\n') || 'none yet';
  } catch (error) {
    if (error instanceof HistoryError) return error.message;
    throw error;
  }
}
