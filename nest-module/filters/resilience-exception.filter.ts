import { Catch, HttpException, Inject, Optional, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { systemClock } from '../../lib/container.js';
import { ConfigurationError, RelPrimError, type Clock } from '../../lib/index.js';
import { RESILIENCE_CLOCK } from '../tokens.js';
import { answerTo } from './answer-to.js';
import { isResponse, sendProblem } from './send-problem.js';
import { tellSocket } from './tell-socket.js';

/**
 * Answers HTTP requests that failed with an error of this library by a fitting status, `Retry-After` and a problem body
 * (RFC 9457): open circuit breaker 503, timeout 504, rejected value 502, and so on. Wrappers are answered by what they
 * wrap; an `HttpException` inside keeps its status and body. Whatever else an error of ours wraps, all other errors,
 * and all that is not HTTP, Nest answers as it would without this filter.
 * @example `@UseFilters(ResilienceExceptionFilter)`, or `ResilienceModule.forRoot({ exceptionFilter: true })`
 */
@Catch(RelPrimError)
export class ResilienceExceptionFilter extends BaseExceptionFilter {
  @Optional() @Inject(RESILIENCE_CLOCK) private readonly clock: Clock = systemClock;

  override catch(error: RelPrimError, host: ArgumentsHost): void {
    const kind = host.getType<string>();
    if (kind === 'ws') return tellSocket(error, host);
    const response = host.getArgByIndex<unknown>(1);
    // Elsewhere Nest takes no answer for "not handled", and goes on by itself.
    if (kind !== 'http' || !isResponse(response)) return;
    const platform = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
    if (platform === undefined) return refuseToAnswer();
    if (platform.isHeadersSent(response)) return super.catch(error, host);
    const answer = answerTo(error, this.clock.wallMs());
    if (answer === undefined) super.catch(error, host);
    else if (answer instanceof HttpException) super.catch(answer, host);
    else sendProblem(platform, response, answer);
  }
}

function refuseToAnswer(): never {
  throw new ConfigurationError({
    option: 'ResilienceExceptionFilter',
    problem: 'was made by hand and knows no HTTP adapter',
    cure: 'give the class instead, or new ResilienceExceptionFilter(app.getHttpAdapter())',
  });
}
