import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Shield, ShieldRegistry } from '../../lib/index.js';
import { getShieldToken, ResilienceModule, type ShieldConfiguration } from '../../nest-module/index.js';
import { messageOf, startWith } from '../nest/configuration-support.js';
import { start } from '../nest/support.js';

const kept = { ...process.env };

beforeEach(() => {
  delete process.env['RELPRIM_ENV_LOAD'];
});

afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
  Object.assign(process.env, kept);
});

async function shieldWith(configuration: ShieldConfiguration = {}): Promise<Shield> {
  const app = await start({}, { shields: [{ name: 'github-eu', ...configuration }] });
  return app.get<Shield>(getShieldToken('github-eu'));
}

const env = {
  RELPRIM_SHIELD_GITHUB_EU_PROFILE: 'slow',
  RELPRIM_SHIELD_GITHUB_EU_MAX_RATE: '7',
  RELPRIM_SHIELD_PROFILE: 'internal',
  RELPRIM_SHIELD_TIMEOUT_ERRORS: 'Overloaded',
};

describe('what a shield of the module is not told, the environment says,', () => {
  it('where the application lets it', async () => {
    Object.assign(process.env, env, { RELPRIM_ENV_LOAD: '1' });
    expect((await shieldWith()).snapshot()).toMatchObject({ profile: 'slow', maxRate: 7 });
    expect((await shieldWith({ env: false })).snapshot()).toMatchObject({ profile: 'api', maxRate: null });
  });

  it('where the shield is told to read it, by code or by configuration', async () => {
    Object.assign(process.env, env);
    for (const read of [true, 'true'] as const)
      expect((await shieldWith({ env: read })).snapshot()).toMatchObject({ profile: 'slow', maxRate: 7 });
    expect((await shieldWith({ env: 'false' })).snapshot()).toMatchObject({ profile: 'api', maxRate: null });
  });

  it('from an object of its own', async () => {
    const shield = await shieldWith({ env });
    expect(shield.snapshot()).toMatchObject({ profile: 'slow', maxRate: 7 });
    const failure = Object.assign(new Error('no'), { name: 'Overloaded' });
    expect(shield.current.settings.isTimeout(failure)).toBe(true);
  });

  it('and nothing else: what it is told holds', async () => {
    const shield = await shieldWith({ env, profile: 'api', maxRate: '2' });
    expect(shield.snapshot()).toMatchObject({ profile: 'api', maxRate: 2 });
  });
});

describe('a mistake in the environment', () => {
  it('stops the application, by the name of the variable alone', async () => {
    const wrong = { RELPRIM_SHIELD_GITHUB_EU_MAX_RATE: 'sk-secret' };
    expect(await messageOf((async () => shieldWith({ env: wrong }))())).toBe(
      "shield 'github-eu': RELPRIM_SHIELD_GITHUB_EU_MAX_RATE is no rate; set it to calls per second, above 0",
    );
  });

  it('is no mistake where it is blank', async () => {
    const blank = { RELPRIM_SHIELD_GITHUB_EU_MAX_RATE: ' ', RELPRIM_SHIELD_MAX_RATE: '4' };
    expect((await shieldWith({ env: blank })).snapshot().maxRate).toBe(4);
  });
});

describe('the configuration of an application', () => {
  it('gives a shield its settings through ConfigService, where unset ones are not given', async () => {
    process.env['GITHUB_MAX_RATE'] = '9';
    process.env['GITHUB_ERRORS'] = 'Overloaded,E429';
    const root = ResilienceModule.forRootAsync({
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true })],
      shields: ['github'],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        shields: {
          github: {
            maxRate: config.get<string>('GITHUB_MAX_RATE'),
            timeoutErrors: config.get<string>('GITHUB_ERRORS'),
            maxWait: config.get<string>('GITHUB_MAX_WAIT'),
          },
        },
      }),
    });
    const shield = (await startWith(root)).get(ShieldRegistry).get('github');
    expect(shield.snapshot()).toMatchObject({ profile: 'api', maxRate: 9 });
    expect(shield.current.settings.maxWaitMs).toBe(60_000);
    const failure = Object.assign(new Error('no'), { code: 'E429' });
    expect(shield.current.settings.isTimeout(failure)).toBe(true);
  });
});
