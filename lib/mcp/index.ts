export { ReliabilityMcp } from './reliability-mcp.js';
export type { ReliabilityMcpOptions } from './options.js';
export type { ExecutionHistory, ReportQuery } from './history/execution-memory.js';
export type { SecretNames } from './http/secrets.js';
export type { McpTransport } from './session/transport.js';
export { serveHttp } from './serve/serve-http.js';
export type { McpHttpServer, ServeHttpOptions } from './serve/serve-http.js';
export { serveStdio } from './serve/serve-stdio.js';
