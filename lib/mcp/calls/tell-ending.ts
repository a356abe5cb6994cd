import { CircuitBreakerOpenError } from '../../policies/circuit-breaker/circuit-breaker-open-error.js';
import { ConcurrencyLimitError } from '../../policies/concurrency-limit/concurrency-limit-error.js';
import { ExecutionError } from '../../report/execution-error.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { seconds } from '../../report/explain.js';
import type { Random } from '../../time/random.js';
import { tellBreaker, type BreakerStats } from '../breakers/breaker-stats.js';
import { reportJson } from '../history/report-schema.js';
import type { HttpAnswer } from '../http/answer.js';
import { shownHeaders } from '../http/response-headers.js';
import { dataNotice, fence, visible } from '../tools/fence.js';
import type { ToolAnswer } from '../tools/tool.js';
import { adviceFor } from './advice.js';
import type { CallResult } from './call-result.js';
import type { Ending } from './run-call.js';
import { StandIn } from './stand-in.js';

export interface TellingOptions {
  readonly maxBodyBytes: number;
  readonly breaker: BreakerStats;
  readonly random: Random;
  readonly redact: (text: string) => string;
}

/** The result of a call, for programs and as text. */
export function tellEnding(ending: Ending, options: TellingOptions): ToolAnswer<CallResult> {
  const { value, error, lastAnswer, requests, report } = ending;
  const outcome = outcomeOf(ending);
  const upstream = lastAnswer === undefined ? null : showAnswer(lastAnswer, options);
  const failure = outcome === 'ok' || outcome === 'fallback' ? null : tellError(error, options.redact);
  const structured: CallResult = {
    outcome,
    upstream,
    ...(value instanceof StandIn && { fallback: value.value }),
    error: failure,
    attempts: report.attempts.filter(reachedOut).length,
    requests,
    elapsedSeconds: report.durationSeconds,
    callId: report.callId,
    explanation: options.redact(report.explain()),
    breaker: options.breaker,
    report: reportJson(report),
  };
  return { structured, texts: textsOf(structured, lastAnswer, options.random), isError: failure !== null };
}

function outcomeOf({ value, error }: Ending): CallResult['outcome'] {
  if (value instanceof StandIn) return 'fallback';
  if (value !== undefined) return 'ok';
  return error instanceof CircuitBreakerOpenError || error instanceof ConcurrencyLimitError
    ? 'rejected'
    : 'failed';
}

function reachedOut({ fallback, metadata }: ExecutionReport['attempts'][number]): boolean {
  return !fallback && metadata.circuit_breaker_open !== true && metadata.admission_refused !== true;
}

function tellError(error: unknown, redact: (text: string) => string): CallResult['error'] {
  const { type, message } = ExecutionError.from(error);
  return { type, message: redact(message), advice: adviceFor(error) };
}

type Shown = NonNullable<CallResult['upstream']>;

function showAnswer({ body, ...answer }: HttpAnswer, { maxBodyBytes, redact }: TellingOptions): Shown {
  const whole = body.text;
  const text = whole === null ? null : firstBytes(whole, maxBodyBytes);
  const isCut = body.isCut || text !== whole;
  return {
    notice: dataNotice(answer.host),
    status: answer.status,
    url: answer.url,
    headers: shownHeaders(answer.headers, redact),
    contentType: body.contentType,
    body: text === null ? null : visible(text),
    bytes: body.bytes,
    cut: isCut,
    description: describe(body, text, isCut),
    redirects: answer.redirects,
  };
}

function describe(
  { contentType, bytes, isCut }: HttpAnswer['body'],
  text: string | null,
  cut: boolean,
): string {
  const size = `${isCut ? 'more than ' : ''}${bytes} bytes`;
  const type = contentType === '' ? 'no content type' : contentType;
  if (text === null) return `binary data (${type}, ${size}), which is not shown`;
  return cut ? `the first ${Buffer.byteLength(text)} of ${size}; the rest is cut` : `all of it, ${size}`;
}

/** Whole letters only. */
function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}

function textsOf(result: CallResult, answer: HttpAnswer | undefined, random: Random): string[] {
  const { outcome, upstream, error, attempts } = result;
  // The headline of the explanation would say the same again.
  const [, ...story] = result.explanation.split('\n');
  const status = upstream === null ? '' : `, status ${upstream.status}`;
  const lines = [
    `${outcome}${status} after ${seconds(result.elapsedSeconds)}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    ...(error === null ? [] : [`${error.type}: ${error.message}`, error.advice]),
    ...story,
    `breaker ${tellBreaker(result.breaker)}`,
    `callId ${result.callId}`,
  ];
  if (outcome === 'fallback') lines.push(`the fallback value: ${JSON.stringify(result.fallback)}`);
  const texts = [lines.join('\n')];
  if (upstream === null || answer === undefined) return texts;
  if (upstream.body === null || upstream.body === '') return [...texts, `the body: ${upstream.description}`];
  const mark = upstream.cut ? `\n[cut: ${upstream.description}]` : '';
  return [...texts, fence(upstream.body, upstream.notice, random) + mark];
}
