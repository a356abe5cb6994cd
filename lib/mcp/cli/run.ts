import { once } from 'node:events';
import type * as door from '../index.js';
import { openHistory } from './open-history.js';
import { listeningProblem } from './listening-problem.js';
import type { Command } from './read-arguments.js';

type Door = typeof door;

/** Serves until the client goes away, or the process is told to stop. What it says, it says by stderr. */
export async function run({ ReliabilityMcp, serveHttp, serveStdio }: Door, command: Command): Promise<void> {
  const history = command.history === undefined ? undefined : await openHistory(command.history);
  try {
    const mcp = new ReliabilityMcp({ ...command.mcp, history });
    const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    if (command.mcp.allowHosts?.length === 0)
      process.stderr.write('relprim-mcp: no --allow-host is given, so no call will be made\n');
    if (command.http === undefined) {
      await Promise.race([serveStdio(mcp), stopped]);
      await mcp.close();
    } else {
      const { http } = command;
      const server = await serveHttp(mcp, http).catch((error: unknown) => {
        const problem = listeningProblem(error, http);
        throw problem === undefined ? error : new Error(problem, { cause: error });
      });
      process.stderr.write(`relprim-mcp: listening at ${server.url}\n`);
      await stopped;
      await server.close();
    }
  } finally {
    await history?.close();
  }
}
