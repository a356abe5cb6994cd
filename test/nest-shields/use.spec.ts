import { describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Inject, Injectable, Logger, Module, Param, Scope } from '@nestjs/common';
import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { defer, firstValueFrom, Observable, of, throwError } from 'rxjs';
import {
  ConcurrencyLimit,
  ConcurrencyLimitError,
  Resilient,
  Shield,
  Shielded,
  ShieldRegistry,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  getConcurrencyLimitToken,
  getShieldToken,
  InjectConcurrencyLimit,
  InjectShield,
  ResilienceExecutor,
  ResilienceModule,
  ResilienceState,
} from '../../nest-module/index.js';
import { closing, serve, start } from '../nest/support.js';
import { rejection } from '../operation/support.js';
import {
  GITHUB,
  GithubClient,
  hangs,
  onClock,
  Overloaded,
  overloaded,
  ReleasesClient,
  scene,
} from './support.js';

describe('a shield that several classes name', () => {
  it('is one: budget and limiter are shared', async () => {
    const { app, clock } = await scene({ providers: [GithubClient, ReleasesClient] });
    const shield = app.get<Shield>(getShieldToken('github'));
    const [issues, releases] = [app.get(GithubClient), app.get(ReleasesClient)];
    issues.answer = releases.answer = overloaded;
    await clock.settle(rejection(issues.issues()));
    expect(shield.snapshot()).toMatchObject({ engaged: true, budget: 17, budgetCapacity: 20 });
    await clock.settle(rejection(releases.releases()));
    expect(shield.snapshot().budget).toBe(14);
  });

  it('is one for all instances of a request-scoped class', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped extends GithubClient {}
    const { app, clock, reports } = await scene({ providers: [Scoped] });
    for (let request = 0; request < 2; request += 1) {
      const client = await app.resolve(Scoped, ContextIdFactory.create());
      client.answer = overloaded;
      await clock.settle(rejection(client.issues()));
    }
    expect(app.get<Shield>(getShieldToken('github')).snapshot().budget).toBe(14);
    expect(reports.map(({ operationName, attemptCount }) => [operationName, attemptCount])).toEqual([
      ['Scoped.issues', 4],
      ['Scoped.issues', 4],
    ]);
  });

  it('is another one in another application', async () => {
    const one = await scene({ providers: [GithubClient] });
    const other = await scene({ providers: [GithubClient] });
    one.app.get(GithubClient).answer = overloaded;
    await one.clock.settle(rejection(one.app.get(GithubClient).issues()));
    const budgets = [one, other].map(
      ({ app }) => app.get<Shield>(getShieldToken('github')).snapshot().budget,
    );
    expect(budgets).toEqual([17, 20]);
  });

  it('is another one also where two applications import the same registration', async () => {
    const root = ResilienceModule.forRoot({ shields: [GITHUB] });
    const compiled = async () => closing(await Test.createTestingModule({ imports: [root] }).compile());
    const [one, other] = [await compiled(), await compiled()];
    expect(one.get(ShieldRegistry).get('github')).not.toBe(other.get(ShieldRegistry).get('github'));
  });
});

describe('a shield of a method', () => {
  it('belongs to the operation: each host of a base class has its own, each instance the same', async () => {
    abstract class Base {
      @Shielded.api({ timeoutErrors: ['Overloaded'] })
      async call(): Promise<void> {
        overloaded();
      }
    }
    @Injectable()
    class Europe extends Base {}
    @Injectable({ scope: Scope.TRANSIENT })
    class Asia extends Base {}
    const { app, clock } = await scene({ providers: [Europe, Asia] });
    const asia = [await app.resolve(Asia), await app.resolve(Asia)];
    for (const client of [app.get(Europe), ...asia]) await clock.settle(rejection(client.call()));
    const shields = app.get(ResilienceState).shields();
    expect(shields.map(({ name, budget, operations }) => [name, budget, operations])).toEqual([
      ['github', 20, []],
      ['Europe.call', 17, ['Europe.call']],
      ['Asia.call', 14, ['Asia.call']],
    ]);
  });
});

describe('a test that puts a shield of its own in the place of a registered one', () => {
  const own = (): Shield => Shield.internal('stand-in', { env: false });

  it('reaches whoever injects it, and methods that name it', async () => {
    const shield = own();
    const { app, clock } = await scene({ providers: [GithubClient] }, {}, (builder) =>
      builder.overrideProvider(getShieldToken('github')).useValue(shield),
    );
    expect(app.get(ShieldRegistry).get('github')).toBe(shield);
    await clock.settle(app.get(GithubClient).issues());
    expect(shield.snapshot().samples).toBe(1);
  });

  it('reaches them in features, too', async () => {
    const shield = own();
    @Module({ imports: [ResilienceModule.forFeature({ shields: [GITHUB] })], providers: [GithubClient] })
    class FeatureModule {}
    const { app, clock } = await scene({ imports: [FeatureModule] }, { shields: [] }, (builder) =>
      builder.overrideProvider(getShieldToken('github')).useValue(shield),
    );
    await clock.settle(app.get(GithubClient, { strict: false }).issues());
    expect(shield.snapshot().samples).toBe(1);
  });

  it('as with a concurrency limit', async () => {
    @Injectable()
    class Client {
      @Resilient({ concurrencyLimit: 'db' })
      async call(): Promise<string> {
        return 'done';
      }
    }
    const limit = new ConcurrencyLimit({ name: 'full', maxConcurrent: 1 });
    const { app } = await scene(
      { providers: [Client] },
      { concurrencyLimits: [{ name: 'db', maxConcurrent: 9 }] },
      (builder) => builder.overrideProvider(getConcurrencyLimitToken('db')).useValue(limit),
    );
    const inside = limit.run(() => new Promise(() => {}));
    expect(await rejection(app.get(Client).call())).toBeInstanceOf(ConcurrencyLimitError);
    expect(limit.snapshot()).toMatchObject({ running: 1, refused: 1 });
    void inside;
  });
});

@Injectable()
class Importer {
  readonly fetch: (page: number) => Promise<unknown>;
  answer: () => unknown = () => 'page';

  constructor(
    @InjectShield('github') readonly shield: Shield,
    @InjectConcurrencyLimit('db') readonly limit: ConcurrencyLimit,
  ) {
    const fetchPage = async (_page: number): Promise<unknown> => this.answer();
    this.fetch = shield.protect(fetchPage);
  }
}

describe('a shield that is used by itself', () => {
  const concurrencyLimits = [{ name: 'db', maxConcurrent: 1, queue: { size: 1 } }];

  it('tells the application, also of functions that a constructor has protected', async () => {
    const { app, clock, sink, reports } = await scene({ providers: [Importer] }, { concurrencyLimits });
    const importer = app.get(Importer);
    expect(await clock.settle(importer.fetch(1))).toBe('page');
    const once = async function once() {
      return 'run';
    };
    expect(await clock.settle(importer.shield.run(once))).toBe('run');
    expect(reports.map(({ operationName }) => operationName)).toEqual(['fetchPage', 'once']);
    expect(sink.events().map(({ eventType, operationName }) => [operationName, eventType])).toEqual(
      ['fetchPage', 'once'].flatMap((name) =>
        ['operation.started', 'attempt.started', 'attempt.succeeded', 'operation.succeeded'].map((type) => [
          name,
          type,
        ]),
      ),
    );
  });

  it('tells it also of a function that ran before there was anybody to tell', async () => {
    const early = async function early(): Promise<void> {};
    @Injectable()
    class Eager {
      readonly ended: Promise<void>;
      constructor(@InjectShield('github') readonly shield: Shield) {
        this.ended = shield.run(early);
      }
    }
    const { app, clock, sink } = await scene({ providers: [Eager] });
    await clock.settle(app.get(Eager).ended);
    const before = sink.events().length;
    await clock.settle(app.get(Eager).shield.run(early));
    expect(sink.events().length - before).toBe(4);
  });

  it('goes by the time and the chance of the application', async () => {
    const { app, clock, reports } = await scene({ providers: [Importer] }, { concurrencyLimits });
    const importer = app.get(Importer);
    importer.answer = overloaded;
    const startMs = clock.monotonicMs();
    await clock.settle(rejection(importer.fetch(1)));
    const attempts = reports[0]?.attempts ?? [];
    // Half of 1, 2 and 4 s; then the limiter has its word.
    expect(attempts.slice(0, 3).map(({ metadata }) => metadata.rate_limit_delay_seconds)).toEqual([
      0.5, 1, 2,
    ]);
    const waited = attempts.map(({ metadata }) => metadata.admission_waited_seconds ?? 0);
    expect((clock.monotonicMs() - startMs) / 1_000).toBeCloseTo(
      waited.reduce((sum, one) => sum + one, 3.5),
      6,
    );
    expect(clock.pendingTimers).toBe(0);
  });

  it('warns in the log of the application', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    try {
      const cache = { get: () => undefined, set: () => Promise.reject(new Error('sk-secret')) };
      const { app, clock } = await scene({}, { shields: [{ name: 'github', cache }] });
      await clock.settle(app.get<Shield>(getShieldToken('github')).run(async () => 'value'));
      const lines = warn.mock.calls.map(([line]) => String(line));
      expect(lines).toEqual([expect.stringContaining('github')]);
      expect(lines.join()).not.toContain('secret');
    } finally {
      warn.mockRestore();
    }
  });
});

describe('a settings factory that is shielded itself', () => {
  it('is no cycle: until the application is made, such a method runs outside it', async () => {
    @Injectable()
    class SettingsServer {
      @Shielded.internal({ env: false })
      async fetch(): Promise<{ maxRate: string }> {
        return { maxRate: '3' };
      }
    }
    @Module({ providers: [SettingsServer], exports: [SettingsServer] })
    class SettingsModule {}
    const root = ResilienceModule.forRootAsync({
      imports: [SettingsModule],
      shields: ['github'],
      inject: [SettingsServer],
      useFactory: async (server: SettingsServer) => ({ shields: { github: await server.fetch() } }),
    });
    const app = closing(await Test.createTestingModule({ imports: [root] }).compile());
    await app.init();
    expect(app.get(ShieldRegistry).get('github').snapshot().maxRate).toBe(3);
  });

  it('nor is an event sink that injects a shield', async () => {
    @Injectable()
    class ShieldedSink {
      readonly told: string[] = [];
      constructor(
        @InjectShield('github') readonly shield: Shield,
        @Inject(ResilienceExecutor) readonly executor: ResilienceExecutor,
      ) {}
      emit({ eventType }: { readonly eventType: string }): void {
        this.told.push(eventType);
      }
    }
    const { app, clock } = await scene({ providers: [GithubClient] }, { eventSinks: [ShieldedSink] });
    await clock.settle(app.get(GithubClient).issues());
    expect(app.get(ShieldedSink).told).toHaveLength(4);
    expect(app.get(ShieldedSink).shield).toBe(app.get(getShieldToken('github')));
  });
});

describe('a method that returns an Observable', () => {
  it('is shielded at each subscription', async () => {
    @Injectable()
    class Client {
      subscriptions = 0;

      @Shielded('github')
      issues(): Observable<string> {
        return defer(() => {
          this.subscriptions += 1;
          return this.subscriptions === 1 ? throwError(() => new Overloaded('no')) : of('issues');
        });
      }
    }
    const { app, clock } = await scene({ providers: [Client] });
    const issues = app.get(Client).issues();
    expect(await clock.settle(firstValueFrom(issues))).toBe('issues');
    expect(await clock.settle(firstValueFrom(issues))).toBe('issues');
    expect(app.get(Client).subscriptions).toBe(3);
    expect(app.get<Shield>(getShieldToken('github')).snapshot()).toMatchObject({ engaged: true, samples: 2 });
  });
});

describe('a controller', () => {
  it.each(['Express', 'Fastify'] as const)('is shielded on %s', async (platform) => {
    @Controller()
    class Issues {
      tries = 0;

      @Get(':owner')
      @Shielded('github')
      async list(@Param('owner') owner: string): Promise<{ owner: string; tries: number }> {
        this.tries += 1;
        if (this.tries === 1) overloaded();
        return { owner, tries: this.tries };
      }
    }
    const shields = [{ ...GITHUB, profile: 'internal' }] as const;
    const { ask } = await serve({ controllers: [Issues] }, { shields }, undefined, platform);
    expect(await ask('/relprim')).toEqual({ status: 200, text: '{"owner":"relprim","tries":2}' });
  });
});

describe('an upstream that slows down and recovers, in no real time', () => {
  it('is called more slowly, and then freely again', async () => {
    const { app, clock, sink } = await scene({ providers: [GithubClient] });
    const client = app.get(GithubClient);
    const shield = app.get<Shield>(getShieldToken('github'));
    client.answer = hangs;
    const error = await clock.settle(rejection(client.issues()));
    expect(error).toMatchObject({ name: 'OperationTimeoutError', code: 'RELPRIM_TIMEOUT' });
    expect(client.calls).toBe(4);
    expect(shield.snapshot()).toMatchObject({ engaged: true, budget: 19, waiting: 0 });
    client.answer = () => 'issues';
    for (let second = 0; second < 600 && shield.snapshot().engaged; second += 1) {
      await clock.settle(client.issues());
      await clock.advance(1);
    }
    expect(shield.snapshot()).toMatchObject({ engaged: false, budget: 20 });
    const types = sink.events().map(({ eventType }) => eventType);
    expect(types.filter((type) => type === 'shield.engaged')).toHaveLength(1);
    expect(types.filter((type) => type === 'shield.disengaged')).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a shield that a whole application shares', () => {
  it('is found by a class that is made late', async () => {
    const clock = new FakeClock();
    @Injectable()
    class Late extends GithubClient {}
    const app = await start({}, { shields: [GITHUB] }, (builder) => onClock(builder, clock));
    const late = await app.get(ModuleRef).create(Late);
    expect(await clock.settle(late.issues())).toBe('issues');
    expect(app.get(ResilienceExecutor).operationNames()).toEqual(['Late.issues']);
    expect(app.get<Shield>(getShieldToken('github')).snapshot().samples).toBe(1);
  });
});
