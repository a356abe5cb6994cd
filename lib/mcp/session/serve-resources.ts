import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { BreakerBook } from '../breakers/breaker-book.js';
import { BREAKER_TEMPLATE, breakerInUri, uriOfBreaker } from './breaker-uri.js';

/** The protocol's code for a resource that is not there. */
const NOT_FOUND = -32_002;
const MIME = 'application/json';

/** Breakers as resources, which tell their subscribers of each change of state. Gives a function that ends that. */
export function serveResources(server: Server, book: BreakerBook): () => void {
  const subscribed = new Set<string>();
  const nameIn = (uri: string): string => {
    const name = breakerInUri(uri);
    if (name !== undefined && book.has(name)) return name;
    throw new McpError(NOT_FOUND, `there is no such resource; those of breakers are ${BREAKER_TEMPLATE}`);
  };

  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: book.names().map((name) => ({
      uri: uriOfBreaker(name),
      name,
      title: `Circuit breaker ${name}`,
      description: 'State and numbers, live',
      mimeType: MIME,
    })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: BREAKER_TEMPLATE,
        name: 'breaker',
        title: 'Circuit breaker',
        description: 'State and numbers of one breaker, live',
        mimeType: MIME,
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const text = JSON.stringify(book.stats(nameIn(uri)), null, 2);
    return { contents: [{ uri, mimeType: MIME, text }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.add(nameIn(uri));
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.delete(breakerInUri(uri) ?? '');
    return {};
  });

  // Whoever has gone away hears nothing, and that is nobody's trouble.
  const ignore = (): void => undefined;
  const endTransitions = book.onTransition(({ breakerName }) => {
    if (!subscribed.has(breakerName)) return;
    server.sendResourceUpdated({ uri: uriOfBreaker(breakerName) }).catch(ignore);
  });
  const endCreations = book.onCreated(() => void server.sendResourceListChanged().catch(ignore));
  return () => {
    endTransitions();
    endCreations();
  };
}
