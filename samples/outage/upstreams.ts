import { faults, type UpstreamName } from './faults.js';
import { Upstream } from './upstream.js';

const goodAnswers: Record<UpstreamName, object> = {
  catalog: { sku: 'kettle', title: 'Kettle', priceCents: 3900 },
  payments: { id: 'receipt-1', paidCents: 3900 },
  shipping: { carrier: 'bicycle', days: 2 },
  rates: { currency: 'NOK', perEuro: 11.4 },
};

export type Upstreams = Readonly<Record<UpstreamName, Upstream>>;

/** All upstreams of the application, listening. With `again` their faults begin anew after the last one. */
export async function startUpstreams({ again = false } = {}): Promise<Upstreams> {
  const make = (name: UpstreamName): Upstream => new Upstream(name, faults[name], goodAnswers[name], again);
  const upstreams = {
    catalog: make('catalog'),
    payments: make('payments'),
    shipping: make('shipping'),
    rates: make('rates'),
  };
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.start()));
  return upstreams;
}
