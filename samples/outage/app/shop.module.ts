import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ResilienceModule } from 'relprim/nestjs';
import { CatalogClient } from './catalog.client.js';
import { PaymentsClient } from './payments.client.js';
import { RatesClient } from './rates.client.js';
import { ShippingClient } from './shipping.client.js';
import { ShopController } from './shop.controller.js';
import { UpstreamFailureFilter } from './upstream-failure.filter.js';
import { UPSTREAM_URLS, type UpstreamUrls } from './upstream-urls.js';

@Module({})
export class ShopModule {
  static callingUpstreamsAt(urls: UpstreamUrls): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        ResilienceModule.forRoot({
          circuitBreakers: [
            { name: 'payments', failureThreshold: 4, recoveryTimeout: '800ms' },
            { name: 'shipping', failureThreshold: 5, recoveryTimeout: '600ms' },
          ],
        }),
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
