import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isAddress, isInside, isLoopback } from './addresses.js';
import { matches, parseHostRule, type HostRule } from './host-rule.js';
import { parseTarget, TargetRefusedError } from './target.js';

/** Where requests may go. */
export class AllowList {
  private readonly rules: readonly HostRule[];

  /** @throws {ConfigurationError} for what is no host. */
  constructor(
    hosts: readonly unknown[],
    private readonly allowsPrivate: boolean,
    private readonly resolve: LookupFunction = systemLookup,
  ) {
    this.rules = hosts.map((host, index) => parseHostRule(`allowHosts[${index}]`, host));
  }

  /** As the user wrote them. */
  get hosts(): readonly string[] {
    return this.rules.map(({ text }) => text);
  }

  /**
   * The URL, when the user listed its host; asked again for each redirect.
   * @throws {TargetRefusedError} when nobody did, or it does not say plainly where it goes.
   */
  check(text: string, base?: URL): URL {
    const url = parseTarget(text, base);
    if (this.rules.some((rule) => matches(rule, url))) return url;
    if (this.rules.length === 0) {
      throw new TargetRefusedError(
        'no host may be called: the user of this server has listed none; ' +
          'ask the user to start it with --allow-host, such as --allow-host api.example.com',
      );
    }
    throw new TargetRefusedError(
      `the host ${JSON.stringify(url.host.slice(0, 100))} may not be called by ${url.protocol}; ` +
        `the user of this server has listed ${this.hosts.join(', ')}`,
    );
  }

  /**
   * How the name of a host becomes an address. A listed name whose owner points it at this machine, or at the network
   * behind it, is refused at the moment of the connection, where no later answer of the name server can differ.
   */
  lookupFor(url: URL): LookupFunction {
    if (this.allowsPrivate || isAddress(url.hostname) || isLoopback(url.hostname)) return this.resolve;
    return (hostname, options, callback) => {
      this.resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, '', 0);
        const addresses = found as unknown as LookupAddress[];
        if (addresses.some(({ address }) => isInside(address))) return callback(insideError(hostname), '', 0);
        const [first] = addresses;
        // Both forms of the callback exist; which one is wanted stands in the options.
        if (options.all === true || first === undefined) callback(null, addresses, 0);
        else callback(null, first.address, first.family);
      });
    };
  }
}

function insideError(hostname: string): TargetRefusedError {
  return new TargetRefusedError(
    `the host ${JSON.stringify(hostname.slice(0, 100))} leads to a private address; ` +
      'the user of this server can allow that with --allow-private',
  );
}
