import { SpanStatusCode, type Span } from '@opentelemetry/api';
import type { ErrorSummary } from '../../report/execution-error.js';
import { ERROR_TYPE, UNKNOWN_ERROR } from './attributes.js';

/** Says that a span has failed, and of what type the error is; its message only where that is asked for. */
export function setFailure(span: Span, error: ErrorSummary | null, messages: boolean): void {
  span.setAttribute(ERROR_TYPE, error?.type ?? UNKNOWN_ERROR);
  const message = messages && error !== null ? { message: error.message } : {};
  span.setStatus({ code: SpanStatusCode.ERROR, ...message });
}
