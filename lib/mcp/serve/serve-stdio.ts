import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { ReliabilityMcp } from '../reliability-mcp.js';

/** Serves the one client at the other end of stdin and stdout. Ends when it goes away. */
export async function serveStdio(mcp: ReliabilityMcp): Promise<void> {
  const { stdin, stdout } = process;
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    // A client that was killed leaves a pipe that nobody reads.
    stdout.once('error', () => resolve());
  });
  stdout.on('error', () => undefined);
  await mcp.connect(new StdioServerTransport());
  await ended;
  await mcp.close();
}
