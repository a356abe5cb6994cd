import { forwardRef, Inject, Injectable } from '@nestjs/common';
import { Resilient } from '../../../lib/index.js';
import { Right } from './right.js';

/** Imports, and is imported by, the other one: while one of them is evaluated the other does not exist yet. */
@Injectable()
export class Left {
  static async standIn(): Promise<string> {
    return "left's";
  }

  static readonly breaker = 'left';

  constructor(@Inject(forwardRef(() => Right)) readonly other: object) {}

  @Resilient({
    retries: 1,
    backoff: { delayForRetry: () => 0 },
    retryOn: (error) => error instanceof Right.Down,
    circuitBreaker: () => Right.breaker,
    fallback: () => Right.standIn(),
  })
  async call(): Promise<string> {
    throw new Right.Down('left');
  }
}
