import { parseArgs } from 'node:util';
import type { ReliabilityMcpOptions } from '../options.js';
import type { ServeHttpOptions } from '../serve/serve-http.js';

/** What the command was told to do. */
export interface Command {
  readonly mcp: ReliabilityMcpOptions;
  /** `undefined`: stdio. */
  readonly http: ServeHttpOptions | undefined;
  /** The SQLite file. */
  readonly history: string | undefined;
}

/** Words of the command line that make no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Environment = Readonly<Record<string, string | undefined>>;

const OPTIONS = {
  'allow-host': { type: 'string', multiple: true },
  'allow-private': { type: 'boolean' },
  'allow-control': { type: 'boolean' },
  'secret-header': { type: 'string', multiple: true },
  'secret-parameter': { type: 'string', multiple: true },
  'max-breakers': { type: 'string' },
  'max-response-bytes': { type: 'string' },
  history: { type: 'string' },
  http: { type: 'string' },
  'http-token': { type: 'string' },
  'http-public-host': { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** @throws {UsageError} for words that make no sense. */
export function readArguments(
  words: readonly string[],
  environment: Environment,
): Command | 'help' | 'version' {
  const given = parse(words);
  if (given.help === true) return 'help';
  if (given.version === true) return 'version';
  for (const option of ['http-token', 'http-public-host'] as const)
    if (given[option] !== undefined && given.http === undefined)
      throw new UsageError(`--${option}: is for --http HOST:PORT; give that, too, or leave it out`);
  return {
    mcp: {
      allowHosts: given['allow-host'] ?? [],
      allowPrivateAddresses: given['allow-private'] ?? false,
      allowControl: given['allow-control'] ?? false,
      secretHeaders: readSecrets('--secret-header', given['secret-header']),
      secretParameters: readSecrets('--secret-parameter', given['secret-parameter']),
      maxBreakers: readNumber('--max-breakers', given['max-breakers']),
      maxResponseBytes: readNumber('--max-response-bytes', given['max-response-bytes']),
      environment,
    },
    http:
      given.http === undefined
        ? undefined
        : {
            ...readAddress(given.http),
            token: readToken(given['http-token'], environment),
            publicHosts: given['http-public-host'],
          },
    history: given.history,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the arguments cannot be read');
  }
}

/** `HOST:NAME=VARIABLE`, where a host may hold colons of its own. */
function readSecrets(option: string, given: readonly string[] = []): Record<string, Record<string, string>> {
  const secrets: Record<string, Record<string, string>> = {};
  for (const word of given) {
    const parts = /^(.+):([^:=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(word);
    if (parts === null)
      throw new UsageError(`${option}: write HOST:NAME=VARIABLE, with the name of an environment variable`);
    const [, host = '', name = '', variable = ''] = parts;
    (secrets[host] ??= {})[name] = variable;
  }
  return secrets;
}

function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${option}: give a whole number above 0`);
}

function readAddress(text: string): { host: string; port: number } {
  const parts = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(text);
  if (parts === null || Number(parts[2]) > 65_535)
    throw new UsageError('--http: write HOST:PORT, such as 127.0.0.1:8765');
  return { host: parts[1] === '' ? '127.0.0.1' : (parts[1] as string), port: Number(parts[2]) };
}

function readToken(variable: string | undefined, environment: Environment): string | undefined {
  if (variable === undefined) return undefined;
  const token = environment[variable];
  if (token !== undefined && token !== '') return token;
  throw new UsageError('--http-token: the environment variable that it names is not set');
}
