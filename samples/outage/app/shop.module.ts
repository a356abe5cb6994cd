import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ResilienceModule } from 'relprim/nestjs';
import { ResilienceDashboardModule } from 'relprim/nestjs/dashboard';
import { CatalogClient } from './catalog.client.js';
import { PaymentsClient } from './payments.client.js';
import { RatesClient } from './rates.client.js';
import { ShippingClient } from './shipping.client.js';
import { ShopController } from './shop.controller.js';
import { UpstreamFailureFilter } from './upstream-failure.filter.js';
import { UPSTREAM_URLS, type UpstreamUrls } from './upstream-urls.js';

/** Open to everybody, as the sample listens on this machine alone. An application gives guards. */
const dashboard = ResilienceDashboardModule.forRoot({
  path: '/resilience',
  unsafe: true,
  operatorGuard: { canActivate: () => true },
});

@Module({})
export class ShopModule {
  /** With a dashboard, circuit breakers stay open for longer, so that people can see it. */
  static callingUpstreamsAt(urls: UpstreamUrls, hasDashboard = false): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        ResilienceModule.forRoot({
          circuitBreakers: [
            { name: 'payments', failureThreshold: 4, recoveryTimeout: hasDashboard ? '6s' : '800ms' },
            { name: 'shipping', failureThreshold: 5, recoveryTimeout: hasDashboard ? '4s' : '600ms' },
          ],
        }),
        ...(hasDashboard ? [dashboard] : []),
      ],
      controllers: [ShopController],
      providers: [
        CatalogClient,
        PaymentsClient,
        ShippingClient,
        RatesClient,
        { provide: UPSTREAM_URLS, useValue: urls },
        { provide: APP_FILTER, useClass: UpstreamFailureFilter },
      ],
    };
  }
}
