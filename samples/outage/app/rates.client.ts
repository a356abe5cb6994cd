import { Inject, Injectable } from '@nestjs/common';
import { currentAttempt, isRetryableHttp, Resilient } from 'relprim';
import { z } from 'zod';
import { shortBackoff } from './backoff.js';
import { requestJson } from './upstream-http.js';
import { UPSTREAM_URLS, type UpstreamUrls } from './upstream-urls.js';

const Rate = z.object({ currency: z.string(), perEuro: z.number().positive() });
export type Rate = z.infer<typeof Rate>;

/** Yesterday's rate is good enough when today's does not come. */
@Injectable()
export class RatesClient {
  constructor(@Inject(UPSTREAM_URLS) private readonly urls: UpstreamUrls) {}

  @Resilient({
    retries: 1,
    retryOn: isRetryableHttp,
    backoff: shortBackoff,
    timeout: '300ms',
    validate: Rate,
    fallback: 'yesterday',
  })
  async today(currency: string): Promise<Rate> {
    return requestJson(`${this.urls.rates}/rates/${currency}`, currentAttempt());
  }

  async yesterday(currency: string): Promise<Rate> {
    return { currency, perEuro: 11.3 };
  }
}
