import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkCount, checkName, checkOptions, refuse } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { isAddress, isLoopback, withoutBrackets } from '../hosts/addresses.js';
import type { ReliabilityMcp } from '../reliability-mcp.js';
import { refusalOf } from './http-guard.js';
import { fail, HttpSessions } from './http-sessions.js';

/** Options of {@link serveHttp}. */
export interface ServeHttpOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** Where it listens. Default `'127.0.0.1'`: this machine only. */
  readonly host?: string | undefined;
  /** What clients must send as `Authorization: Bearer …`. Needed where others than this machine can reach the server. */
  readonly token?: string | undefined;
  /** More names that clients may call the server by, beside `host` and those of this machine. */
  readonly publicHosts?: readonly string[] | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** A server that listens. */
export interface McpHttpServer {
  /** Where clients find it: `http://127.0.0.1:8765/mcp`. */
  readonly url: string;
  readonly port: number;
  /** Ends all connections. */
  close(): Promise<void>;
}

const PATH = '/mcp';
const SHORTEST_TOKEN = 16;
/** Who sends its request drop by drop is cut off. Answers may take as long as they do. */
const RECEIVING = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };
const NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/i;

/**
 * Serves clients by streamable HTTP, each with a session of its own.
 * @throws {ConfigurationError} for a port that is none, or an open address without a token; what the system says when
 * it cannot listen.
 */
export async function serveHttp(mcp: ReliabilityMcp, options: ServeHttpOptions): Promise<McpHttpServer> {
  checkOptions('serveHttp', options, ['port', 'host', 'token', 'publicHosts', 'clock']);
  const { host = '127.0.0.1', token, publicHosts = [], clock = systemClock } = options;
  const port = checkCount('port', options.port, 0);
  if (port > 65_535) refuse('port', port, 'give a whole number from 0 to 65535');
  checkName('host', host);
  checkToken(host, token);
  checkPublicHosts(publicHosts);
  const sessions = new HttpSessions(mcp, clock);
  const hosts = [host, ...publicHosts].map((name) => withoutBrackets(name.toLowerCase()));
  const guard = { hosts, token };

  const server = createServer(RECEIVING, (request, response) => {
    const refusal = refusalOf(request, guard);
    if (refusal !== undefined) return fail(response, refusal.status, refusal.message);
    if (request.url?.split('?', 1)[0] !== PATH) return fail(response, 404, `clients are served at ${PATH}`);
    void sessions.handle(request, response);
  });
  server.listen(port, withoutBrackets(host));
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const written = withoutBrackets(host).includes(':') ? `[${withoutBrackets(host)}]` : host;
  return {
    url: `http://${written}:${actual}${PATH}`,
    port: actual,
    close: async () => {
      const closed = once(server, 'close');
      // First of all, so that nobody comes while the others go.
      server.close();
      await mcp.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function checkToken(host: string, token: string | undefined): void {
  if (token !== undefined && typeof token !== 'string') refuse('token', token, 'give a text');
  if (token !== undefined && token.length < SHORTEST_TOKEN) {
    throw new ConfigurationError({
      option: 'token',
      problem: `is shorter than ${SHORTEST_TOKEN} letters`,
      cure: 'give a long random one',
    });
  }
  if (token !== undefined || isLoopback(host)) return;
  throw new ConfigurationError({
    option: 'host',
    problem: `is ${isAddress(host) ? 'an address' : 'a name'} that others than this machine can reach`,
    cure: 'give a token, too, or listen on 127.0.0.1',
  });
}

function checkPublicHosts(names: unknown): void {
  if (!Array.isArray(names)) refuse('publicHosts', names, 'give a list of names');
  for (const [index, name] of (names as readonly unknown[]).entries())
    if (typeof name !== 'string' || !NAME.test(name))
      refuse(
        `publicHosts[${index}]`,
        name,
        "give a name alone, without protocol and port: 'mcp.example.com'",
      );
}
