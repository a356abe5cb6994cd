import { ConfigurationError } from '../../errors/configuration-error.js';
import { isAddress } from './addresses.js';

/** A host that may be called, as the user listed it. */
export interface HostRule {
  /** As it was written. */
  readonly text: string;
  /** `undefined`: `http` and `https`. */
  readonly protocol: string | undefined;
  /** In lower case; of a pattern what stands behind the star, with its dot. */
  readonly host: string;
  readonly isPattern: boolean;
  /** `undefined`: the usual port of the protocol. */
  readonly port: string | undefined;
}

const FORM =
  /^(?:(https?):\/\/)?(\*\.)?(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?$/i;

/** @throws {ConfigurationError} for what is no host, or would allow more than anybody means. */
export function parseHostRule(option: string, text: unknown): HostRule {
  const parts = typeof text === 'string' ? FORM.exec(text) : null;
  if (parts === null) {
    throw new ConfigurationError({
      option,
      problem: 'is no host',
      cure: "give a host such as 'api.example.com', '*.example.com', '127.0.0.1:8080' or 'https://api.example.com'",
    });
  }
  const [written = '', scheme, star, name = '', port] = parts;
  const host = name.toLowerCase();
  checkPlain(option, host);
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) {
    throw new ConfigurationError({
      option,
      problem: 'has no such port',
      cure: 'give a port from 1 to 65535',
    });
  }
  if (star !== undefined && (!host.includes('.') || isAddress(host))) {
    throw new ConfigurationError({
      option,
      problem: 'is a pattern for far too many hosts',
      cure: "give at least two labels behind the star: '*.example.com'",
    });
  }
  return {
    text: written,
    protocol: scheme === undefined ? undefined : `${scheme.toLowerCase()}:`,
    host: star === undefined ? host : `.${host}`,
    isPattern: star !== undefined,
    port: port === undefined ? undefined : String(Number(port)),
  };
}

/** Other spellings of an address would never match: requests are compared in the plain one. */
function checkPlain(option: string, host: string): void {
  const plain = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
  if (plain === host) return;
  throw new ConfigurationError({
    option,
    problem: 'is a host in another form than its plain one',
    cure: plain === undefined ? 'give a host that exists' : `write it as '${plain}'`,
  });
}

/** Whether a URL goes to this host. */
export function matches(rule: HostRule, url: URL): boolean {
  if (rule.protocol !== undefined && rule.protocol !== url.protocol) return false;
  // A URL leaves out the usual port of its protocol.
  const port = url.port === '' ? usualPort(url.protocol) : url.port;
  if (port !== (rule.port ?? usualPort(url.protocol))) return false;
  return rule.isPattern
    ? url.hostname.endsWith(rule.host) && url.hostname.length > rule.host.length
    : url.hostname === rule.host;
}

function usualPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}
