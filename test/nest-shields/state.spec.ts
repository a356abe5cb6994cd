import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit, Resilient, Shield, Shielded } from '../../lib/index.js';
import { getConcurrencyLimitToken, ResilienceState } from '../../nest-module/index.js';
import { rejection } from '../operation/support.js';
import { GITHUB, GithubClient, hangs, overloaded, ReleasesClient, scene } from './support.js';

const FRESH = {
  profile: 'api',
  engaged: false,
  rate: 2,
  w_max: 2,
  max_rate: null,
  waiting: 0,
  budget: 20,
  budget_capacity: 20,
  timeout_seconds: 10,
  samples: 0,
  p50_seconds: null,
  p95_seconds: null,
};
const stripe = Shield.internal('stripe', { env: false });

@Injectable()
class Client {
  answer: () => unknown = () => 'done';

  @Shielded(stripe)
  async pay(): Promise<unknown> {
    return this.answer();
  }

  @Shielded.api({ maxRate: 5 }, { maxConcurrent: 1 })
  async own(): Promise<unknown> {
    return this.answer();
  }

  @Resilient({ concurrencyLimit: 'db', idempotencyKey: (key: string) => key })
  async keyed(_key: string): Promise<unknown> {
    return this.answer();
  }
}

const concurrencyLimits = [{ name: 'db', maxConcurrent: 3, queue: { size: 2, maxWait: '5s' } }];

describe('the state of an application', () => {
  it('has its shields: the registered ones, and those of methods, with what they shield', async () => {
    const { app } = await scene({ providers: [GithubClient, ReleasesClient, Client] }, { concurrencyLimits });
    expect(app.get(ResilienceState).shields()).toEqual([
      { name: 'github', ...FRESH, operations: ['GithubClient.issues', 'ReleasesClient.releases'] },
      {
        ...FRESH,
        name: 'stripe',
        profile: 'internal',
        rate: 100,
        w_max: 100,
        budget: 10,
        budget_capacity: 10,
        timeout_seconds: 1,
        operations: ['Client.pay'],
      },
      { ...FRESH, name: 'Client.own', max_rate: 5, operations: ['Client.own'] },
    ]);
  });

  it('has its concurrency limits likewise', async () => {
    const { app } = await scene({ providers: [Client] }, { concurrencyLimits });
    const idle = { running: 0, waiting: 0, refused: 0 };
    expect(app.get(ResilienceState).concurrencyLimits()).toEqual([
      {
        ...idle,
        name: 'db',
        max_concurrent: 3,
        queue_size: 2,
        max_wait_seconds: 5,
        operations: ['Client.keyed'],
      },
      {
        ...idle,
        name: 'Client.own',
        max_concurrent: 1,
        queue_size: 0,
        max_wait_seconds: null,
        operations: ['Client.own'],
      },
    ]);
  });

  it('reads them as they are at the moment', async () => {
    const { app, clock } = await scene({ providers: [GithubClient] }, { concurrencyLimits });
    const [client, state] = [app.get(GithubClient), app.get(ResilienceState)];
    const limit = app.get<ConcurrencyLimit>(getConcurrencyLimitToken('db'));
    client.answer = overloaded;
    await clock.settle(rejection(client.issues()));
    const [github] = state.shields();
    expect(github).toMatchObject({ engaged: true, budget: 17 });
    expect(github?.rate).toBeLessThan(2);
    const running = [1, 2, 3, 4].map(() => limit.run(() => new Promise(() => {})));
    await clock.advance(0);
    expect(state.concurrencyLimits()).toMatchObject([{ running: 3, waiting: 1 }]);
    void running.map((call) => call.catch(() => undefined));
    await clock.advance('5s');
    expect(state.concurrencyLimits()).toMatchObject([{ running: 3, waiting: 0, refused: 1 }]);
  });

  it('has both in the snapshot, which survives JSON', async () => {
    const { app } = await scene({ providers: [Client, GithubClient] }, { concurrencyLimits });
    const state = app.get(ResilienceState);
    const snapshot = state.snapshot();
    expect(snapshot.shields).toEqual(state.shields());
    expect(snapshot.concurrency_limits).toEqual(state.concurrencyLimits());
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  });

  it('describes the shield of a method, and makes no second one for it', async () => {
    const { app } = await scene({ providers: [Client] }, { concurrencyLimits });
    const state = app.get(ResilienceState);
    expect(state.operation('Client.own')).toMatchObject({
      composition: "Client.own: shield 'Client.own' > at most 1 at once > method",
    });
    expect(state.shields().filter(({ name }) => name === 'Client.own')).toHaveLength(1);
  });
});

describe('the counts of an operation', () => {
  it('are of calls that the shield gave up and recovered, and of attempts that were not admitted', async () => {
    const fallback = (): string => 'none';
    const shields = [
      { ...GITHUB, whenLimited: 'reject', fallback: undefined },
      { ...GITHUB, name: 'gitlab', fallback },
    ] as const;
    @Injectable()
    class Gitlab {
      @Shielded('gitlab')
      async issues(): Promise<string> {
        return overloaded();
      }

      @Shielded('gitlab', { maxConcurrent: 1 })
      async one(): Promise<string> {
        return hangs();
      }
    }
    const { app, clock } = await scene({ providers: [GithubClient, Gitlab] }, { shields });
    const state = app.get(ResilienceState);
    state.operations();
    app.get(GithubClient).answer = overloaded;
    await clock.settle(rejection(app.get(GithubClient).issues()));
    expect(state.operation('GithubClient.issues').counts).toMatchObject({
      failed: 1,
      shield_gave_up: 1,
      shield_recovered: 0,
      not_admitted: 1,
    });
    expect(await clock.settle(app.get(Gitlab).issues())).toBe('none');
    expect(state.operation('Gitlab.issues').counts).toMatchObject({
      succeeded: 1,
      fallbacks_used: 1,
      shield_gave_up: 1,
      shield_recovered: 1,
      not_admitted: 0,
    });
  });

  it('know a call that a concurrency limit did not admit', async () => {
    const { app, clock } = await scene({ providers: [Client] }, { concurrencyLimits });
    const [client, state] = [app.get(Client), app.get(ResilienceState)];
    state.operations();
    client.answer = hangs;
    const first = client.own();
    await clock.advance(0);
    expect(await rejection(client.own())).toMatchObject({ code: 'RELPRIM_CONCURRENCY_LIMIT' });
    expect(state.operation('Client.own').counts).toMatchObject({ calls: 1, failed: 1, not_admitted: 1 });
    void first.catch(() => undefined);
  });
});
