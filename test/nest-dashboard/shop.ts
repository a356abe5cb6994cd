import { Inject, Injectable } from '@nestjs/common';
import { Resilient, Shielded, type Clock, type ExecutionReport } from '../../lib/index.js';
import { seededRandom } from '../../lib/testing/index.js';
import type { ResilienceDashboardOptions } from '../../nest-module/dashboard/index.js';
import {
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { serveDashboard, type Site } from './support.js';

export class BankUnreachable extends Error {}

/** How the upstreams of the shop are. */
@Injectable()
export class Upstreams {
  readonly random = seededRandom(7);
  bank: 'fine' | 'down' = 'fine';
  search: 'fine' | 'slow' = 'fine';

  constructor(@Inject(RESILIENCE_CLOCK) private readonly clock: Clock) {}

  /** Takes about so many milliseconds, sometimes many more. */
  async take(ms: number): Promise<void> {
    const spread = 0.6 + 0.8 * this.random();
    await new Promise<void>((resolve) => void this.clock.setTimer(resolve, ms * spread * spread));
  }

  async askBank(ms: number): Promise<void> {
    await this.take(ms);
    if (this.bank === 'down') throw new BankUnreachable('connect ECONNREFUSED 10.0.3.7:443');
  }
}

const soon = { delayForRetry: (retry: number) => 0.12 * retry };

@Injectable()
export class PaymentsClient {
  constructor(@Inject(Upstreams) private readonly upstreams: Upstreams) {}

  @Resilient({
    retries: 2,
    backoff: soon,
    timeout: '2s',
    circuitBreaker: 'payments',
    fallback: 'chargeLater',
  })
  async charge(_order: string): Promise<string> {
    await this.upstreams.askBank(80);
    return 'receipt';
  }

  async chargeLater(order: string): Promise<string> {
    await this.upstreams.take(8);
    return `queued ${order}`;
  }

  @Resilient({ retries: 1, backoff: soon, circuitBreaker: 'payments' })
  async refund(_order: string): Promise<string> {
    await this.upstreams.askBank(110);
    return 'refunded';
  }
}

@Injectable()
export class CatalogClient {
  constructor(@Inject(Upstreams) private readonly upstreams: Upstreams) {}

  @Resilient({ retries: 1, backoff: soon, circuitBreaker: 'catalog', concurrencyLimit: 'catalog' })
  async find(sku: string): Promise<string> {
    await this.upstreams.take(25);
    if (this.upstreams.random() < 0.04) throw new RangeError(`no answer for ${sku}`);
    return 'kettle';
  }
}

@Injectable()
export class SearchClient {
  constructor(@Inject(Upstreams) private readonly upstreams: Upstreams) {}

  @Shielded('search')
  async query(_words: string): Promise<string> {
    await this.upstreams.take(this.upstreams.search === 'slow' ? 6_000 : 60);
    return 'three results';
  }
}

const OPTIONS: ResilienceModuleOptions = {
  circuitBreakers: [
    { name: 'payments', failureThreshold: 5, recoveryTimeout: 20 },
    { name: 'catalog', failureRate: 0.5, window: 20 },
  ],
  shields: [{ name: 'search', profile: 'api', maxRate: 50 }],
  concurrencyLimits: [{ name: 'catalog', maxConcurrent: 8, queue: { size: 20, maxWait: 1 } }],
  silenceWarnings: ['retries-without-retry-on'],
};

/** A shop with a dashboard. */
export interface Shop extends Site {
  readonly upstreams: Upstreams;
  readonly payments: PaymentsClient;
  /** By the executor: what the page must agree with. */
  readonly reports: readonly ExecutionReport[];
  /** A second in which so many visitors come. */
  second(visitors: number): Promise<void>;
}

export async function openShop(platform: string, dashboard: ResilienceDashboardOptions): Promise<Shop> {
  const providers = [Upstreams, PaymentsClient, CatalogClient, SearchClient];
  const site = await serveDashboard(platform, { dashboard, options: OPTIONS, metadata: { providers } });
  const { app, clock } = site;
  const reports: ExecutionReport[] = [];
  app.get(ResilienceExecutor).observe((report) => reports.push(report));
  const [payments, catalog, search] = [
    app.get(PaymentsClient),
    app.get(CatalogClient),
    app.get(SearchClient),
  ];
  const visits = [
    () => payments.charge('A-1'),
    () => catalog.find('kettle'),
    () => search.query('tea'),
    () => catalog.find('pot'),
    () => payments.refund('A-0'),
  ];
  let visitor = 0;
  const second = async (visitors: number): Promise<void> => {
    for (let come = 0; come < visitors; come += 1) {
      const visit = visits[visitor % visits.length] as () => Promise<string>;
      visitor += 1;
      visit().catch(() => undefined);
      await clock.advance(1 / visitors);
    }
  };
  return { ...site, upstreams: app.get(Upstreams), payments, reports, second };
}
