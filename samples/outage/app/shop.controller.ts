import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { CatalogClient, type Product } from './catalog.client.js';
import { PaymentsClient, type Receipt } from './payments.client.js';
import { RatesClient, type Rate } from './rates.client.js';
import { ShippingClient, type Offer } from './shipping.client.js';

/** What the world sees. Nothing here knows of retries, timeouts or circuit breakers. */
@Controller()
export class ShopController {
  constructor(
    @Inject(CatalogClient) private readonly catalog: CatalogClient,
    @Inject(PaymentsClient) private readonly payments: PaymentsClient,
    @Inject(ShippingClient) private readonly shipping: ShippingClient,
    @Inject(RatesClient) private readonly rates: RatesClient,
  ) {}

  @Get('products/:sku')
  product(@Param('sku') sku: string): Promise<Product> {
    return this.catalog.find(sku);
  }

  @Post('orders/:order/charge')
  charge(@Param('order') order: string): Promise<Receipt> {
    return this.payments.charge(order, 3900);
  }

  @Get('orders/:order/shipping')
  offer(@Param('order') order: string): Promise<Offer> {
    return this.shipping.offer(order);
  }

  @Get('rates/:currency')
  rate(@Param('currency') currency: string): Promise<Rate> {
    return this.rates.today(currency);
  }
}
