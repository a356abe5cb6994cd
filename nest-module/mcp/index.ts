export { ResilienceMcpModule } from './mcp.module.js';
export type { McpGuard, ResilienceMcpOptions } from './mcp-options.js';
