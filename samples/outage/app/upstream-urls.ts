/** Where the upstreams listen. */
export interface UpstreamUrls {
  readonly catalog: string;
  readonly payments: string;
  readonly shipping: string;
  readonly rates: string;
}

export const UPSTREAM_URLS = Symbol('upstream urls');
