import { ConcurrencyLimit } from '../../policies/concurrency-limit/concurrency-limit.js';
import type { BreakerBook } from '../breakers/breaker-book.js';
import type { ExecutionHistory } from '../history/execution-history.js';
import { AllowList } from '../hosts/allow-list.js';
import { Secrets } from '../http/secrets.js';
import { Upstream } from '../http/upstream.js';
import type { McpSettings } from '../settings.js';
import { createBreaker, getBreakerState, listBreakers } from './breaker-tools.js';
import { computeBackoff } from './compute-backoff.js';
import { forceBreaker, resetBreaker } from './control-tools.js';
import { explainExecution, getExecution, recentExecutions } from './history-tools.js';
import { listShields } from './list-shields.js';
import { reliableHttpCall } from './reliable-http-call.js';
import type { Tool } from './tool.js';

/** More wait in line than any agent starts at once; who finds the line full is refused. */
const LINE = 1_000;

/** The tools of one server, by name. @throws {ConfigurationError} for hosts or secrets that cannot work. */
export function makeTools(
  settings: McpSettings,
  book: BreakerBook,
  history: ExecutionHistory,
): ReadonlyMap<string, Tool> {
  const { clock, random, maxConcurrent } = settings;
  const allowList = new AllowList(settings.allowHosts, settings.allowPrivateAddresses);
  const secrets = new Secrets(settings.secretHeaders, settings.secretParameters, settings.environment);
  const parts = {
    book,
    allowList,
    upstream: new Upstream({ allowList, secrets, maxResponseBytes: settings.maxResponseBytes }),
    limit: new ConcurrencyLimit({ name: 'relprim-mcp', maxConcurrent, queue: { size: LINE }, clock }),
    clock,
    random,
    onReport: history.onReport.bind(history),
  };
  const { shields } = settings;
  const tools = [
    ...(settings.readOnly ? [] : [createBreaker(book), reliableHttpCall(parts, secrets.redact)]),
    getBreakerState(book),
    computeBackoff(random),
    listBreakers(book),
    recentExecutions(history),
    getExecution(history, random),
    explainExecution(history, book, random),
    ...(shields === undefined ? [] : [listShields(shields)]),
    ...(settings.allowControl ? [resetBreaker(book), forceBreaker(book)] : []),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
