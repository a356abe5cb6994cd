import { readErrorNames, readNumber, readParts, readSwitch, refuse } from '../../lib/container.js';
import { Shield, ShieldRegistry, type ProfiledShieldOptions } from '../../lib/index.js';
import { getShieldToken } from '../tokens.js';
import type { Kind } from './kind.js';
import { isSameList } from './is-same-list.js';
import type { ShieldConfiguration } from './registrations.js';

type Settings = ShieldConfiguration & { readonly name: string };

/** How the text of each setting is read that may be one; durations stay as they are. */
const READERS = { timeoutErrors: readTimeoutErrors, maxRate: readNumber, env: readSwitch };

/** Settings that are shown as they are: nobody's secrets. */
const SHOWN = ['profile', 'maxRate', 'maxWait', 'whenLimited'];
const SETTINGS = [...SHOWN, 'timeoutErrors', 'cache', 'cacheKey', 'fallback', 'env'];

export const shields: Kind<Shield, Settings> = {
  option: 'shields',
  single: 'shield',
  noun: 'shield',
  word: 'shield',
  className: 'Shield',
  settings: SETTINGS,
  ownObjects: ['cache'],
  leastSettings: ', {} for the defaults',
  registry: ShieldRegistry,
  token: getShieldToken,
  is: (value) => value instanceof Shield,
  make({ name, ...settings }, host) {
    const options = readParts(settings, READERS) as ProfiledShieldOptions;
    if (host === undefined) return new Shield(name, options);
    const { clock, random } = host;
    return new Shield(name, { ...options, clock, random }, { host });
  },
  isSame(one, other) {
    const [known, asked] = [one, other].map((settings) => shields.make(settings).current.settings);
    return (
      known?.profile === asked?.profile &&
      known?.maxRate === asked?.maxRate &&
      known?.maxWaitMs === asked?.maxWaitMs &&
      known?.whenLimited === asked?.whenLimited &&
      known?.cache === asked?.cache &&
      known?.cacheKey === asked?.cacheKey &&
      known?.fallback === asked?.fallback &&
      isSameList(readTimeoutErrors(one.timeoutErrors), readTimeoutErrors(other.timeoutErrors)) &&
      isSameEnvironment(readSwitch(one.env), readSwitch(other.env))
    );
  },
  // Only what it is told: what it reads from the environment is shown to nobody.
  print(settings) {
    const said = Object.entries(readParts(settings, READERS) as object).filter(
      ([option, value]) => option !== 'name' && value !== undefined,
    );
    return said.length === 0 ? 'the defaults' : said.map(printSetting).join(', ');
  },
};

function printSetting([option, value]: [string, unknown]): string {
  return SHOWN.includes(option) || typeof value === 'boolean'
    ? `${option} ${String(value)}`
    : `${option} of its own`;
}

/** A list of names or codes may be one text, as in the environment. */
function readTimeoutErrors(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '')
    return refuse('timeoutErrors', value, 'give names or codes of errors, or leave it out');
  return readErrorNames('timeoutErrors', value);
}

function isSameEnvironment(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [entries, others] = [Object.entries(one), Object.entries(other)];
  return (
    entries.length === others.length &&
    entries.every(([key, text]) => (other as Record<string, unknown>)[key] === text)
  );
}
