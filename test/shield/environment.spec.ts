import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError, Shield, type ProfiledShieldOptions } from '../../lib/index.js';
import { thrown } from '../operation/support.js';
import { FakeClock } from '../../lib/testing/index.js';

type Env = Record<string, string | undefined>;

function made(name: string, env: Env, options: ProfiledShieldOptions = {}) {
  return new Shield(name, { ...options, env });
}

/** What a shield is made into, in short. */
function said(name: string, env: Env, options: ProfiledShieldOptions = {}): [string, number | null] {
  const { profile, maxRate } = made(name, env, options).snapshot();
  return [profile, maxRate];
}

/** How often a call is tried that fails with this. */
async function attempts(env: Env, error: unknown): Promise<number> {
  const clock = new FakeClock();
  const shield = new Shield('github', { clock, random: () => 0, env });
  let count = 0;
  const call = shield.run(async () => {
    count += 1;
    throw error;
  });
  await clock.settle(call.catch(() => undefined));
  return count;
}

afterEach(() => {
  jest.restoreAllMocks();
  for (const key of Object.keys(process.env)) if (key.startsWith('RELPRIM_')) delete process.env[key];
});

describe('the variables of a shield', () => {
  it('are named after it', () => {
    expect(said('payments-eu.v2', { RELPRIM_SHIELD_PAYMENTS_EU_V2_MAX_RATE: '7' })).toEqual(['api', 7]);
    expect(said('--weird__name--', { RELPRIM_SHIELD_WEIRD_NAME_PROFILE: 'slow' })).toEqual(['slow', null]);
    expect(said('Orders.find', { RELPRIM_SHIELD_ORDERS_FIND_PROFILE: 'internal' })).toEqual([
      'internal',
      null,
    ]);
  });

  it('say the profile, the rate and the errors [S52, S53]', async () => {
    const env = { RELPRIM_SHIELD_GITHUB_PROFILE: ' Internal ', RELPRIM_SHIELD_GITHUB_MAX_RATE: ' 12.5 ' };
    expect(said('github', env)).toEqual(['internal', 12.5]);
    const errors = { RELPRIM_SHIELD_GITHUB_TIMEOUT_ERRORS: 'RangeError, ECONNRESET' };
    expect(await attempts(errors, new RangeError('busy'))).toBe(4);
    expect(await attempts(errors, Object.assign(new Error('cut'), { code: 'ECONNRESET' }))).toBe(4);
    expect(await attempts(errors, new TypeError('bug'))).toBe(1);
    expect(
      await attempts({ RELPRIM_SHIELD_GITHUB_TIMEOUT_ERRORS: '["RangeError"]' }, new RangeError('x')),
    ).toBe(4);
  });

  it('fall back, one by one, to those for all shields [S147]', () => {
    const env = {
      RELPRIM_SHIELD_PROFILE: 'slow',
      RELPRIM_SHIELD_MAX_RATE: '3',
      RELPRIM_SHIELD_GITHUB_MAX_RATE: '2',
    };
    expect(said('github', env)).toEqual(['slow', 2]);
    expect(said('gitlab', env)).toEqual(['slow', 3]);
    expect(said('default', { ...env, RELPRIM_SHIELD_DEFAULT_MAX_RATE: '9' })).toEqual(['slow', 3]);
  });

  it.each(['', '   '])('that are blank (%p) are not set, and hide nothing [S65]', (blank) => {
    const env = {
      RELPRIM_SHIELD_GITHUB_PROFILE: blank,
      RELPRIM_SHIELD_GITHUB_MAX_RATE: blank,
      RELPRIM_SHIELD_GITHUB_TIMEOUT_ERRORS: blank,
      RELPRIM_SHIELD_PROFILE: 'slow',
      RELPRIM_SHIELD_MAX_RATE: '3',
    };
    expect(said('github', env)).toEqual(['slow', 3]);
  });

  it('give way to what the code says [S56, S64, S66]', () => {
    const env = { RELPRIM_SHIELD_GITHUB_PROFILE: 'slow', RELPRIM_SHIELD_GITHUB_MAX_RATE: '3' };
    expect(said('github', env, { profile: 'internal', maxRate: 5 })).toEqual(['internal', 5]);
    expect(said('github', env, { maxRate: 5 })).toEqual(['slow', 5]);
    const { profile, maxRate } = Shield.internal('github', { env }).snapshot();
    expect([profile, maxRate]).toEqual(['internal', 3]);
  });

  it('are not even looked at where the code has spoken', () => {
    const env = { RELPRIM_SHIELD_GITHUB_PROFILE: 'fast', RELPRIM_SHIELD_GITHUB_MAX_RATE: 'lots' };
    expect(said('github', env, { profile: 'internal', maxRate: 5 })).toEqual(['internal', 5]);
    expect(Shield.api('github', { env, maxRate: 5 }).profile).toBe('api');
  });

  it('are read once, when the shield is made', () => {
    const env: Env = { RELPRIM_SHIELD_GITHUB_MAX_RATE: '3' };
    const shield = made('github', env);
    env['RELPRIM_SHIELD_GITHUB_MAX_RATE'] = '4';
    expect(shield.snapshot().maxRate).toBe(3);
  });
});

describe('the environment of the process', () => {
  it.each(['1', 'true', 'YES', ' on '])('is read with RELPRIM_ENV_LOAD=%p', (on) => {
    process.env['RELPRIM_ENV_LOAD'] = on;
    process.env['RELPRIM_SHIELD_GITHUB_MAX_RATE'] = '3';
    expect(new Shield('github').snapshot().maxRate).toBe(3);
    expect(new Shield('github', { env: false }).snapshot().maxRate).toBeNull();
  });

  it('is read with env: true, whatever the switch says', () => {
    process.env['RELPRIM_ENV_LOAD'] = '0';
    process.env['RELPRIM_SHIELD_GITHUB_MAX_RATE'] = '3';
    expect(new Shield('github', { env: true }).snapshot().maxRate).toBe(3);
  });

  it('is otherwise not read, and a variable that is set is warned of once [S58, S59, S67, S68]', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    process.env['RELPRIM_SHIELD_WARNED_MAX_RATE'] = '3';
    process.env['RELPRIM_SHIELD_WARNED_PROFILE'] = 'slow';
    process.env['RELPRIM_SHIELD_WARNED_TIMEOUT_ERRORS'] = ' ';
    expect(new Shield('warned', { maxRate: 5 }).snapshot()).toMatchObject({ maxRate: 5, profile: 'api' });
    new Shield('warned');
    new Shield('warned');
    new Shield('warned', { env: false });
    new Shield('warned', { env: {} });
    const text = (variable: string): string =>
      `${variable} is set and not read; set RELPRIM_ENV_LOAD=1, or give the shield env: true`;
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      text('RELPRIM_SHIELD_WARNED_PROFILE'),
      text('RELPRIM_SHIELD_WARNED_MAX_RATE'),
    ]);
  });
});

describe('a variable that cannot be used', () => {
  const SECRET = 's3cr3t-t0ken';

  const PROFILES = 'set it to internal, api or slow';
  const RATE = 'set it to calls per second, above 0';
  const NAMES = 'set it to names or codes of errors, between commas or as a JSON list';

  it.each([
    ['RELPRIM_SHIELD_GITHUB_PROFILE', SECRET, 'is no profile', PROFILES],
    ['RELPRIM_SHIELD_PROFILE', `api,${SECRET}`, 'is no profile', PROFILES],
    ['RELPRIM_SHIELD_GITHUB_PROFILE', 'toString', 'is no profile', PROFILES],
    ['RELPRIM_SHIELD_GITHUB_MAX_RATE', SECRET, 'is no rate', RATE],
    ['RELPRIM_SHIELD_MAX_RATE', `5 ${SECRET}`, 'is no rate', RATE],
    ['RELPRIM_SHIELD_GITHUB_MAX_RATE', '-1', 'is no rate', RATE],
    ['RELPRIM_SHIELD_GITHUB_MAX_RATE', '0', 'is no rate', RATE],
    ['RELPRIM_SHIELD_GITHUB_MAX_RATE', 'NaN', 'is no rate', RATE],
    ['RELPRIM_SHIELD_GITHUB_TIMEOUT_ERRORS', `Range Error ${SECRET}`, 'has an entry that is no name', NAMES],
    ['RELPRIM_SHIELD_TIMEOUT_ERRORS', `["${SECRET}`, 'is no JSON list of texts', NAMES],
    ['RELPRIM_SHIELD_TIMEOUT_ERRORS', '[42]', 'is no JSON list of texts', NAMES],
    ['RELPRIM_SHIELD_TIMEOUT_ERRORS', '["a", 42]', 'is no JSON list of texts', NAMES],
  ])(
    'is named with what is wrong, and never shown: %s=%s [S54, S55, S57, S150]',
    (variable, text, problem, cure) => {
      const error = thrown(() => made('github', { [variable]: text }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain(`${variable} ${problem}`);
      expect(error).toMatchObject({ cure });
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(SECRET);
    },
  );

  it('is one whose rate is below the lowest of the profile', () => {
    const error = thrown(() => made('github', { RELPRIM_SHIELD_GITHUB_MAX_RATE: '0.1' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain("shield 'github'");
    expect(error.message).toContain('0.25');
  });
});
