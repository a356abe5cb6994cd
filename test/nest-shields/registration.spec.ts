import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import {
  ConcurrencyLimit,
  ConcurrencyLimitRegistry,
  InMemoryCache,
  Shield,
  ShieldRegistry,
} from '../../lib/index.js';
import {
  getConcurrencyLimitToken,
  getShieldToken,
  InjectConcurrencyLimit,
  InjectShield,
  ResilienceModule,
  type ConcurrencyLimitRegistration,
  type ResilienceConfiguration,
  type ResilienceFeatureOptions,
  type ShieldRegistration,
} from '../../nest-module/index.js';
import { messageOf, startWith } from '../nest/configuration-support.js';
import { start } from '../nest/support.js';
import { mistakeOf } from '../support/mistake-of.js';

@Injectable()
class Holder {
  constructor(
    @InjectShield('github') readonly shield: Shield,
    @InjectConcurrencyLimit('db') readonly limit: ConcurrencyLimit,
  ) {}
}

/** A module with these things, and a provider in it that injects them. */
function featureWith(options: ResilienceFeatureOptions) {
  @Module({ imports: [ResilienceModule.forFeature(options)], exports: [] })
  class FeatureModule {}
  return FeatureModule;
}

const shields = [{ name: 'github', profile: 'slow', maxRate: 3 }] as const;
const concurrencyLimits = [{ name: 'db', maxConcurrent: 2, queue: { size: 5, maxWait: '2s' } }];

describe('shields and concurrency limits of the module', () => {
  it('are injected by name and found in the registries', async () => {
    const app = await start({ providers: [Holder] }, { shields, concurrencyLimits });
    const { shield, limit } = app.get(Holder);
    expect(shield).toBeInstanceOf(Shield);
    expect(shield.snapshot()).toMatchObject({ name: 'github', profile: 'slow', maxRate: 3 });
    expect(limit.snapshot()).toMatchObject({ name: 'db', maxConcurrent: 2, queueSize: 5, maxWaitSeconds: 2 });
    expect(app.get(getShieldToken('github'))).toBe(shield);
    expect(app.get(getConcurrencyLimitToken('db'))).toBe(limit);
    expect(app.get(ShieldRegistry).list()).toEqual([shield]);
    expect(app.get(ConcurrencyLimitRegistry).list()).toEqual([limit]);
  });

  it('have tokens that read well in messages of Nest', () => {
    expect([getShieldToken('github'), getConcurrencyLimitToken('db')]).toEqual([
      'relprim/shield:github',
      'relprim/concurrency-limit:db',
    ]);
  });

  it('may be objects, which are used as they are', async () => {
    const [shield, limit] = [Shield.api('github'), new ConcurrencyLimit({ name: 'db', maxConcurrent: 1 })];
    const app = await start({ providers: [Holder] }, { shields: [shield], concurrencyLimits: [limit] });
    expect(app.get(Holder)).toEqual({ shield, limit });
    expect(app.get(Holder).shield).toBe(shield);
    expect(app.get(Holder).limit).toBe(limit);
  });

  it('read texts as numbers, durations and names of errors', async () => {
    const app = await start(
      {},
      {
        shields: [
          { name: 'a', maxRate: '2.5', maxWait: '7s', timeoutErrors: 'Overloaded, E429' },
          { name: 'b', env: 'false', timeoutErrors: '["Overloaded"]' },
        ],
        concurrencyLimits: [{ name: 'db', maxConcurrent: '3', queue: { size: '4', maxWait: '5s' } }],
      },
    );
    const settings = app.get(ShieldRegistry).get('a').current.settings;
    expect(settings).toMatchObject({ maxRate: 2.5, maxWaitMs: 7_000 });
    const named = (name: string) => Object.assign(new Error('no'), { name });
    expect(['Overloaded', 'E429', 'Other'].map((name) => settings.isTimeout(named(name)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(app.get(ShieldRegistry).get('b').current.settings.isTimeout(named('Overloaded'))).toBe(true);
    expect(app.get(ConcurrencyLimitRegistry).get('db').snapshot()).toMatchObject({
      maxConcurrent: 3,
      queueSize: 4,
      maxWaitSeconds: 5,
    });
  });

  it('are made of a copy: nothing that happens to the list later changes them', async () => {
    const timeoutErrors = ['Overloaded'];
    const queue = { size: 1 };
    const root = ResilienceModule.forRoot({
      shields: [{ name: 'github', timeoutErrors }],
      concurrencyLimits: [{ name: 'db', maxConcurrent: 1, queue }],
    });
    timeoutErrors.pop();
    queue.size = 9;
    const app = await startWith(root, { providers: [Holder] });
    const { shield, limit } = app.get(Holder);
    expect(shield.current.settings.isTimeout(Object.assign(new Error(), { name: 'Overloaded' }))).toBe(true);
    expect(limit.snapshot().queueSize).toBe(1);
  });

  it('keep a cache as the object that it is', async () => {
    const cache = new InMemoryCache({ ttl: '1m' });
    const app = await start({}, { shields: [{ name: 'github', cache }] });
    expect(app.get<Shield>(getShieldToken('github')).current.settings.cache).toBe(cache);
  });
});

describe('the same name with the same settings is one thing,', () => {
  const filter = (): boolean => true;
  const shield = Shield.api('github');

  it.each<[string, ShieldRegistration, ShieldRegistration]>([
    ['as it is written', { name: 'github', maxRate: 2 }, { name: 'github', maxRate: 2 }],
    ['as it works', { name: 'github', maxRate: '2' }, { name: 'github', maxRate: 2, whenLimited: 'wait' }],
    ['defaults spelt out', { name: 'github' }, { name: 'github', profile: 'api', maxWait: '60s' }],
    [
      'with lists of the same errors',
      { name: 'github', timeoutErrors: [TypeError, 'E429'] },
      { name: 'github', timeoutErrors: [TypeError, 'E429'] },
    ],
    [
      'with names in one text',
      { name: 'github', timeoutErrors: 'A,B' },
      { name: 'github', timeoutErrors: ['A', 'B'] },
    ],
    [
      'with the same function',
      { name: 'github', timeoutErrors: filter, fallback: filter },
      { name: 'github', timeoutErrors: filter, fallback: filter },
    ],
    [
      'with the same environment',
      { name: 'github', env: { RELPRIM_SHIELD_PROFILE: 'slow' } },
      { name: 'github', env: { RELPRIM_SHIELD_PROFILE: 'slow' } },
    ],
    ['given as an object', shield, shield],
  ])('a shield %s', async (_name, one, other) => {
    const app = await startWith(ResilienceModule.forRoot({ shields: [one] }), {
      imports: [featureWith({ shields: [other] }), featureWith({ shields: [one] })],
    });
    expect(app.get(ShieldRegistry).list()).toEqual([app.get(getShieldToken('github'))]);
  });

  it('a concurrency limit, defaults spelt out', async () => {
    const app = await startWith(ResilienceModule.forRoot(), {
      imports: [
        featureWith({ concurrencyLimits: [{ name: 'db', maxConcurrent: 2 }] }),
        featureWith({ concurrencyLimits: [{ name: 'db', maxConcurrent: '2', queue: { size: 0 } }] }),
      ],
    });
    expect(app.get(ConcurrencyLimitRegistry).names()).toEqual(['db']);
  });
});

describe('the same name with other settings stops the application, and both are shown', () => {
  const CURE = 'give the same settings in both places, or another name in one';

  it.each<[string, ShieldRegistration, ShieldRegistration, string]>([
    ['a profile', { name: 'github' }, { name: 'github', profile: 'slow' }, 'the defaults, and profile slow'],
    [
      'rates and waits',
      { name: 'github', maxRate: 2 },
      { name: 'github', maxRate: '3', maxWait: '5s', whenLimited: 'reject' },
      'maxRate 2, and maxRate 3, maxWait 5s, whenLimited reject',
    ],
    [
      'functions that may differ',
      { name: 'github', fallback: () => 1 },
      { name: 'github', fallback: () => 1 },
      'fallback of its own, and fallback of its own',
    ],
    [
      'errors, whose names are not shown',
      { name: 'github', timeoutErrors: 'Overloaded' },
      { name: 'github' },
      'timeoutErrors of its own, and the defaults',
    ],
    [
      'environments, which are not shown',
      { name: 'github', env: { RELPRIM_SHIELD_PROFILE: 'slow' } },
      { name: 'github', env: false },
      'env of its own, and env false',
    ],
    [
      'an object and settings',
      Shield.api('github'),
      { name: 'github' },
      'a Shield object of its own, and the defaults',
    ],
  ])('%s', async (_name, one, other, both) => {
    const root = ResilienceModule.forRoot({ shields: [one] });
    const starting = startWith(root, { imports: [featureWith({ shields: [other] })] });
    expect(await messageOf(starting)).toBe(`shields has 'github' twice: ${both}; ${CURE}`);
  });

  it('two concurrency limits', async () => {
    const of = (limit: ConcurrencyLimitRegistration) => featureWith({ concurrencyLimits: [limit] });
    const imports = [
      of(concurrencyLimits[0] as ConcurrencyLimitRegistration),
      of({ name: 'db', maxConcurrent: 3 }),
    ];
    expect(await messageOf(startWith(ResilienceModule.forRoot(), { imports }))).toBe(
      "concurrencyLimits has 'db' twice: maxConcurrent 2, queue.size 5, queue.maxWait 2 s, and maxConcurrent 3, queue.size 0; " +
        CURE,
    );
  });

  it('though one name may belong to a breaker, a shield and a limit at once', async () => {
    const app = await start(
      {},
      {
        circuitBreakers: [{ name: 'github' }],
        shields: [{ name: 'github' }],
        concurrencyLimits: [{ name: 'github', maxConcurrent: 1 }],
      },
    );
    expect(app.get(ShieldRegistry).names()).toEqual(['github']);
  });
});

describe('ResilienceModule.forRoot refuses', () => {
  it.each<[string, object, string]>([
    ['shields that are no list', { shields: {} }, 'ResilienceModule: shields is an object; give a list'],
    [
      'a shield without a name',
      { shields: [{}] },
      'ResilienceModule.shields[0]: name is undefined; give the name that methods use',
    ],
    [
      'a misspelt setting',
      { shields: [{ name: 'github', maxrate: 1 }] },
      'ResilienceModule.shields[0]: maxrate is not an option here; did you mean maxRate?',
    ],
    [
      'a clock, as the application has one',
      { shields: [{ name: 'github', clock: {} }] },
      'ResilienceModule.shields[0]: clock is not an option here; ',
    ],
    [
      'two shields of one name',
      { shields: [{ name: 'a' }, { name: 'a' }] },
      "ResilienceModule: shields[1].name 'a' is given twice; give each shield a name of its own",
    ],
    [
      'a rate that is none, whatever it says',
      { shields: [{ name: 'github', maxRate: 'sk-secret' }] },
      "shield 'github': maxRate is a string; give calls per second, above 0",
    ],
    [
      'names of errors that are none',
      { shields: [{ name: 'github', timeoutErrors: 'sk secret' }] },
      'ResilienceModule.shields[0]: timeoutErrors has an entry that is no name; ',
    ],
    [
      'no names of errors, as a variable that is set to nothing',
      { shields: [{ name: 'github', timeoutErrors: '' }] },
      'ResilienceModule.shields[0]: timeoutErrors is a blank string; give names or codes of errors, or leave it out',
    ],
    [
      'a limit without a number',
      { concurrencyLimits: [{ name: 'db' }] },
      'ResilienceModule.concurrencyLimits[0]: maxConcurrent is undefined; give a whole number, 1 or more',
    ],
    [
      'a limit of nobody',
      { concurrencyLimits: [{ name: 'db', maxConcurrent: '0' }] },
      'ResilienceModule.concurrencyLimits[0]: maxConcurrent is the number 0; give a whole number, 1 or more',
    ],
    [
      'a misspelt setting of a queue',
      { concurrencyLimits: [{ name: 'db', maxConcurrent: 1, queue: { length: 1 } }] },
      'ResilienceModule.concurrencyLimits[0]: length is not an option here; ',
    ],
  ])('%s', (_name, options, message) => {
    const said = mistakeOf(() => ResilienceModule.forRoot(options)).message;
    expect(said.slice(0, message.length)).toBe(message);
    expect(said).not.toContain('secret');
  });
});

describe('settings from a factory', () => {
  const asyncRoot = (given: ResilienceConfiguration): DynamicModule =>
    ResilienceModule.forRootAsync({
      shields: ['github'],
      concurrencyLimits: ['db'],
      useFactory: async () => given,
    });
  const both: ResilienceConfiguration = {
    shields: { github: { maxRate: '3' } },
    concurrencyLimits: { db: { maxConcurrent: '2' } },
  };

  it('make the things that were named', async () => {
    const app = await startWith(asyncRoot(both), { providers: [Holder] });
    const { shield, limit } = app.get(Holder);
    expect([shield.snapshot().maxRate, limit.maxConcurrent]).toEqual([3, 2]);
  });

  it.each<[string, ResilienceConfiguration, string]>([
    [
      'none for a shield that is named',
      { concurrencyLimits: both.concurrencyLimits },
      "ResilienceModule.shields['github']: shield is named and has no settings; let the options factory give its settings, {} for the defaults",
    ],
    [
      'none for a limit that is named',
      { shields: both.shields },
      "ResilienceModule.concurrencyLimits['db']: concurrencyLimit is named and has no settings; let the options factory give its settings: { maxConcurrent: 10 }",
    ],
    [
      'some for a shield too many',
      { ...both, shields: { github: {}, gitlab: {}, githup: {} } },
      "ResilienceModule.forRootAsync: shields['gitlab'] is no shield that forRootAsync names; did you mean 'github'?",
    ],
    [
      'some for a limit too many',
      { ...both, concurrencyLimits: { db: { maxConcurrent: 1 }, queue: { maxConcurrent: 1 } } },
      "ResilienceModule.forRootAsync: concurrencyLimits['queue'] is no concurrency limit that forRootAsync names; name it there: concurrencyLimits: ['queue'], or leave its settings out",
    ],
    [
      'a shield of another name',
      { ...both, shields: { github: Shield.api('gitlab') } },
      "ResilienceModule.shields['github']: shield is a shield that is named 'gitlab'; give both the same name",
    ],
    [
      'a profile that is none, whatever it says',
      { ...both, shields: { github: { profile: 'sk-secret' as 'api' } } },
      "shield 'github': profile is a string; give 'internal', 'api' or 'slow'",
    ],
  ])('stop the application: %s', async (_name, given, message) => {
    expect(await messageOf(startWith(asyncRoot(given)))).toBe(message);
  });

  it('come from a provider that exists, too', async () => {
    const settings = { provide: 'settings', useValue: { createResilienceOptions: () => both } };
    @Module({ providers: [settings], exports: ['settings'] })
    class SettingsModule {}
    const root = ResilienceModule.forRootAsync({
      imports: [SettingsModule],
      shields: ['github'],
      concurrencyLimits: ['db'],
      useExisting: 'settings',
    });
    const app = await startWith(root, { providers: [Holder] });
    expect(app.get(Holder).limit.maxConcurrent).toBe(2);
  });

  it('come from a class, too', async () => {
    class Settings {
      createResilienceOptions(): ResilienceConfiguration {
        return both;
      }
    }
    const root = ResilienceModule.forRootAsync({
      shields: ['github'],
      concurrencyLimits: ['db'],
      useClass: Settings,
    });
    const app = await startWith(root, { providers: [Holder] });
    expect(app.get(Holder).shield.snapshot().maxRate).toBe(3);
  });
});

describe('a feature', () => {
  it('gives its shields and limits to whoever imports it, and to methods everywhere', async () => {
    @Module({ imports: [ResilienceModule.forFeature({ shields, concurrencyLimits })], providers: [Holder] })
    class FeatureModule {}
    const app = await startWith(ResilienceModule.forRoot(), { imports: [FeatureModule] });
    const { shield, limit } = app.get(Holder, { strict: false });
    expect(app.get(ShieldRegistry).get('github')).toBe(shield);
    expect(app.get(ConcurrencyLimitRegistry).get('db')).toBe(limit);
  });

  it('needs the module', async () => {
    const starting = startWith(featureOf(), {});
    expect(await messageOf(starting)).toBe(
      'ResilienceModule.forFeature is imported without ResilienceModule.forRoot; import ResilienceModule.forRoot() in the root module',
    );
  });

  function featureOf(): DynamicModule {
    return ResilienceModule.forFeature({ shields });
  }
});
