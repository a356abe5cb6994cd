import { Inject, Injectable } from '@nestjs/common';
import { currentAttempt, isRetryableHttp, Resilient } from 'relprim';
import { shortBackoff } from './backoff.js';
import { requestJson } from './upstream-http.js';
import { UPSTREAM_URLS, type UpstreamUrls } from './upstream-urls.js';

export interface Offer {
  readonly carrier: string;
  readonly days: number;
}

function isOffer({ carrier, days }: Offer): boolean {
  return typeof carrier === 'string' && days > 0;
}

/** Nobody waits long for an offer: the whole call has 700 ms. While shipping is broken, it is left alone to recover. */
@Injectable()
export class ShippingClient {
  constructor(@Inject(UPSTREAM_URLS) private readonly urls: UpstreamUrls) {}

  @Resilient({
    retries: 1,
    retryOn: isRetryableHttp,
    backoff: shortBackoff,
    timeout: '400ms',
    deadline: '700ms',
    circuitBreaker: 'shipping',
    validate: isOffer,
  })
  async offer(order: string): Promise<Offer> {
    return requestJson(`${this.urls.shipping}/offers/${order}`, currentAttempt());
  }
}
