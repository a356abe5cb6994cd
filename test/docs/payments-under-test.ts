import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Resilient } from '../../lib/index.js';
import { ResilienceTesting, ResilienceTestingModule } from '../../nest-module/testing/index.js';

const backoff = { delayForRetry: (retry: number) => retry };

/** What the first example of docs/testing.md builds, for those after it. */
@Injectable()
class PaymentsClient {
  @Resilient({ retries: 2, backoff, timeout: '5s', fallback: 'later' })
  async charge(order: string): Promise<string> {
    throw new Error(`the real upstream was asked for ${order}`);
  }

  async later(order: string): Promise<string> {
    return `${order} later`;
  }
}

export async function paymentsUnderTest() {
  const imports = [ResilienceTestingModule.forRoot({ silenceWarnings: ['retries-without-retry-on'] })];
  const module = await Test.createTestingModule({ imports, providers: [PaymentsClient] }).compile();
  const app = await module.init();
  return { resilience: app.get(ResilienceTesting), payments: app.get(PaymentsClient) };
}
