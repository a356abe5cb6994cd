import { ConfigurationError } from '../../errors/configuration-error.js';
import { VERSION } from '../version.js';
import { HELP, INSTALL } from './help.js';
import { readArguments, UsageError, type Command } from './read-arguments.js';
import { run } from './run.js';

/** The command `relprim-mcp`; gives its exit code: 1 where something is missing or wrong, 2 for bad arguments. */
export async function main(words: readonly string[]): Promise<number> {
  try {
    const command = readArguments(words, process.env);
    if (command === 'help') process.stdout.write(HELP);
    else if (command === 'version') process.stdout.write(`${VERSION}\n`);
    else return await serve(command);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const text = error instanceof Error ? inWordsOfCommand(error) : 'failed';
    process.stderr.write(`relprim-mcp: ${text}\n${isUsage ? 'relprim-mcp --help tells more\n' : ''}`);
    return isUsage ? 2 : 1;
  }
}

async function serve(command: Command): Promise<number> {
  let door;
  try {
    door = await import('../index.js');
  } catch (error) {
    if (!isMissingPeer(error)) throw error;
    process.stderr.write(INSTALL);
    return 1;
  }
  await run(door, command);
  return 0;
}

function isMissingPeer(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  // One that is too old has not all the doors.
  const isOld = code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  return (isMissing || isOld) && /(?:@modelcontextprotocol[\\/]sdk|\bzod)['\\/]/.test(message);
}

const WORDS: Readonly<Record<string, string>> = {
  allowHosts: '--allow-host',
  secretHeaders: '--secret-header',
  secretParameters: '--secret-parameter',
  host: '--http',
  token: '--http-token',
  publicHosts: '--http-public-host',
};

/** Mistakes are told by the names of options of the library, which nobody has written here. */
function inWordsOfCommand(error: Error): string {
  if (!(error instanceof ConfigurationError)) return error.message;
  const { option, problem, cure } = error;
  const [, name = '', index] = /^(\w+)(?:\[(\d+)\])?/.exec(option) ?? [];
  const word = WORDS[name];
  if (word === undefined) return error.message;
  return `${word}${index === undefined ? '' : ` number ${Number(index) + 1}`} ${problem}; ${cure}`;
}
