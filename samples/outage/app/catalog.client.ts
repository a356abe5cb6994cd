import { Inject, Injectable } from '@nestjs/common';
import { currentAttempt, isRetryableHttp, Resilient } from 'relprim';
import { z } from 'zod';
import { shortBackoff } from './backoff.js';
import { requestJson } from './upstream-http.js';
import { UPSTREAM_URLS, type UpstreamUrls } from './upstream-urls.js';

const Product = z.object({ sku: z.string(), title: z.string(), priceCents: z.int().positive() });
export type Product = z.infer<typeof Product>;

/** Reading is safe to repeat, and there is nothing to fall back on: three tries, then the caller must know. */
@Injectable()
export class CatalogClient {
  constructor(@Inject(UPSTREAM_URLS) private readonly urls: UpstreamUrls) {}

  @Resilient({
    retries: 2,
    retryOn: isRetryableHttp,
    backoff: shortBackoff,
    timeout: '400ms',
    deadline: '2s',
    validate: Product,
  })
  async find(sku: string): Promise<Product> {
    return requestJson(`${this.urls.catalog}/products/${sku}`, currentAttempt());
  }
}
