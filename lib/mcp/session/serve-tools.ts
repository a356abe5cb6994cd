import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { nearest } from '../../errors/nearest.js';
import type { CallContext, Tool } from '../tools/tool.js';

/** How the user can have what is not there. */
const SWITCHED_OFF: Readonly<Record<string, string>> = {
  reset_breaker: 'the user of this server can allow it with --allow-control',
  force_breaker: 'the user of this server can allow it with --allow-control',
  create_breaker: 'this server only shows what is there',
  reliable_http_call: 'this server only shows what is there',
};

export function serveTools(server: Server, tools: ReadonlyMap<string, Tool>): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map((tool) => ({ ...tool.listing() })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.get(params.name) ?? refuseTool(params.name, tools.keys());
    const token = params._meta?.progressToken;
    const tell = (progress: number, total: number, message: string): void => {
      if (token === undefined) return;
      const notification = {
        method: 'notifications/progress' as const,
        params: { progressToken: token, progress, total, message },
      };
      // A client that cannot be told is none that waits.
      extra.sendNotification(notification).catch(() => undefined);
    };
    const context: CallContext = { signal: extra.signal, progress: token === undefined ? undefined : tell };
    return tool.call(params.arguments, context);
  });
}

function refuseTool(name: string, known: Iterable<string>): never {
  const why = Object.hasOwn(SWITCHED_OFF, name) ? SWITCHED_OFF[name] : undefined;
  if (why !== undefined) throw new McpError(ErrorCode.InvalidParams, `${name} is switched off; ${why}`);
  const meant = nearest(name.slice(0, 60), known);
  const cure = meant === undefined ? 'tools/list has them all' : `did you mean ${meant}?`;
  throw new McpError(ErrorCode.InvalidParams, `there is no such tool; ${cure}`);
}
