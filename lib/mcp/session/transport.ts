/** A transport of the SDK, as far as it is needed here: `StdioServerTransport`, `InMemoryTransport` and others are one. */
export interface McpTransport {
  start(): Promise<void>;
  // Methods and `any` on purpose: messages are the SDK's business.
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;
  sessionId?: string | undefined;
}
