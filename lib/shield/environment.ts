import { ConfigurationError } from '../errors/configuration-error.js';
import { PROFILES, type ShieldProfileName } from './profiles.js';
import type { ProfiledShieldOptions, ShieldConfig } from './shield-options.js';

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'RELPRIM_SHIELD_';
const SUFFIXES = ['PROFILE', 'TIMEOUT_ERRORS', 'MAX_RATE'] as const;
type Suffix = (typeof SUFFIXES)[number];

/** What the environment says of a shield: only what it says. */
export interface FromEnvironment extends Pick<ShieldConfig, 'timeoutErrors' | 'maxRate'> {
  readonly profile?: ShieldProfileName;
}

/**
 * Reads what the variables of a shield say that no option says. A variable of its own hides that for all shields; a
 * blank one is not set, and hides nothing.
 * @throws {ConfigurationError} naming the variable, never what it holds.
 */
export function readEnvironment(
  name: string,
  options: ProfiledShieldOptions,
  profileIsFixed: boolean,
): FromEnvironment {
  const segment = segmentOf(name);
  const wanted = SUFFIXES.filter((suffix) => isOpen(suffix, options, profileIsFixed));
  const env = environmentOf(options.env);
  if (env === undefined) {
    if (options.env === undefined) warnOfIgnored(segment, wanted);
    return {};
  }
  const found: { -readonly [K in keyof FromEnvironment]: FromEnvironment[K] } = {};
  for (const suffix of wanted) {
    const variable = variablesOf(segment, suffix).find((one) => isSet(env[one]));
    if (variable === undefined) continue;
    const text = (env[variable] as string).trim();
    if (suffix === 'PROFILE') found.profile = profileIn(variable, text);
    else if (suffix === 'MAX_RATE') found.maxRate = rateIn(variable, text);
    else found.timeoutErrors = readErrorNames(variable, text);
  }
  return found;
}

/** `payments-eu.v2` is PAYMENTS_EU_V2. @throws {ConfigurationError} for a name that leaves nothing, or begins with a digit. */
function segmentOf(name: string): string {
  const segment = name
    .toUpperCase()
    .replace(/[^A-Z0-9_]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '');
  if (/^[A-Z]/.test(segment)) return segment;
  throw new ConfigurationError({
    option: 'name',
    problem: 'makes no name of an environment variable',
    cure: 'give a shield a name that begins with a letter',
  });
}

function isOpen(suffix: Suffix, options: ProfiledShieldOptions, profileIsFixed: boolean): boolean {
  if (suffix === 'PROFILE') return !profileIsFixed && options.profile === undefined;
  return suffix === 'MAX_RATE' ? options.maxRate === undefined : options.timeoutErrors === undefined;
}

function environmentOf(env: ProfiledShieldOptions['env']): Environment | undefined {
  if (typeof env === 'object') return env;
  const isOn = env ?? /^(1|true|yes|on)$/i.test(process.env['RELPRIM_ENV_LOAD']?.trim() ?? '');
  return isOn ? process.env : undefined;
}

/** The shield named `default` has the bare names for its own. */
function variablesOf(segment: string, suffix: Suffix): readonly string[] {
  const own = segment === 'DEFAULT' ? [] : [`${PREFIX}${segment}_${suffix}`];
  return [...own, `${PREFIX}${suffix}`];
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}

const warned = new Set<string>();

/** Somebody has set a variable that nobody reads. */
function warnOfIgnored(segment: string, wanted: readonly Suffix[]): void {
  for (const variable of wanted.flatMap((suffix) => variablesOf(segment, suffix))) {
    if (!isSet(process.env[variable]) || warned.has(variable)) continue;
    warned.add(variable);
    process.emitWarning(
      `${variable} is set and not read; set RELPRIM_ENV_LOAD=1, or give the shield env: true`,
      {
        code: 'RELPRIM_ENV_LOAD',
      },
    );
  }
}

function profileIn(variable: string, text: string): ShieldProfileName {
  const profile = text.toLowerCase();
  if (Object.hasOwn(PROFILES, profile)) return profile as ShieldProfileName;
  return refuseVariable(variable, 'is no profile', 'set it to internal, api or slow');
}

function rateIn(variable: string, text: string): number {
  const rate = Number(text);
  if (rate > 0) return rate;
  return refuseVariable(variable, 'is no rate', 'set it to calls per second, above 0');
}

/** Names or codes of errors in one text. @throws {ConfigurationError} that names the variable or option, and no more. */
export function readErrorNames(variable: string, text: string): readonly string[] {
  const names = text.startsWith('[') ? listIn(variable, text) : text.split(',');
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== '');
  if (trimmed.every((name) => /^[\w.$-]+$/.test(name))) return trimmed;
  return refuseVariable(variable, 'has an entry that is no name', NAMES);
}

const NAMES = 'set it to names or codes of errors, between commas or as a JSON list';

function listIn(variable: string, text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((entry): entry is string => typeof entry === 'string')) return list;
  } catch {
    // What it says is as secret as any other value.
  }
  return refuseVariable(variable, 'is no JSON list of texts', NAMES);
}

function refuseVariable(variable: string, problem: string, cure: string): never {
  throw new ConfigurationError({ option: variable, problem, cure });
}
