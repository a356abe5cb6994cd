import { forwardRef, Inject, Injectable } from '@nestjs/common';
import { Resilient } from '../../../lib/index.js';
import { Left } from './left.js';

@Injectable()
export class Right {
  static readonly Down = class Down extends Error {};

  static readonly breaker = 'right';

  static async standIn(): Promise<string> {
    return "right's";
  }

  constructor(@Inject(forwardRef(() => Left)) readonly other: object) {}

  @Resilient({ circuitBreaker: () => Left.breaker, fallback: () => Left.standIn() })
  async call(): Promise<string> {
    throw new Right.Down('right');
  }
}
