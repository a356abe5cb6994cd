import { Catch, HttpException, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { CircuitBreakerOpenError, OperationTimeoutError } from 'relprim';

/** Tells the caller whose fault it was: a decorated method throws its own error, so that is what arrives here. */
@Catch()
export class UpstreamFailureFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    super.catch(error instanceof HttpException ? error : asHttpException(error), host);
  }
}

function asHttpException(error: unknown): HttpException {
  if (error instanceof CircuitBreakerOpenError) return new HttpException('come back later', 503);
  if (error instanceof OperationTimeoutError) return new HttpException('an upstream took too long', 504);
  return new HttpException('an upstream failed', 502);
}
