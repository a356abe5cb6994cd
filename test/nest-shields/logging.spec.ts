import { describe, expect, it } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { Resilient, Shield, Shielded } from '../../lib/index.js';
import { getShieldToken, ResilienceLogger, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { eventAt, LogBook, startLogged } from '../nest-logging/support.js';
import { rejection } from '../operation/support.js';
import { GITHUB, GithubClient, overloaded } from './support.js';

describe('the log of an application tells', () => {
  it('that a shield begins to limit the rate, and how a call ended, in one line each', async () => {
    const { app, clock, book } = await startLogged({ providers: [GithubClient] }, { shields: [GITHUB] });
    const client = app.get(GithubClient);
    client.answer = overloaded;
    await clock.settle(rejection(client.issues()));
    const [limits, gaveUp, ...more] = book.taken();
    expect(limits).toMatch(
      /^warn \[Resilience\] shield 'github' limits the rate to [\d.]+ calls a second \(GithubClient\.issues\)$/,
    );
    expect(gaveUp).toMatch(
      /^warn \[Resilience\] GithubClient\.issues gave up after 4 attempts in [\d.]+ s: Overloaded$/,
    );
    expect(more).toEqual([]);
  });

  it('that what it had kept answered a call', async () => {
    const options: ResilienceModuleOptions = {
      shields: [
        { ...GITHUB, cache: new Map(), cacheKey: () => 'one' },
        { ...GITHUB, name: 'gitlab', fallback: () => 'none' },
      ],
    };
    @Injectable()
    class Gitlab {
      @Shielded('gitlab')
      async issues(): Promise<string> {
        return overloaded();
      }
    }
    const { app, clock, book } = await startLogged({ providers: [GithubClient, Gitlab] }, options);
    const client = app.get(GithubClient);
    await clock.settle(client.issues());
    client.answer = overloaded;
    expect(await clock.settle(client.issues())).toBe('issues');
    expect(await clock.settle(app.get(Gitlab).issues())).toBe('none');
    expect(book.taken().filter((line) => !line.includes('limits the rate'))).toEqual([
      'warn [Resilience] GithubClient.issues used its fallback cache after 4 attempts',
      'warn [Resilience] Gitlab.issues used its fallback after 4 attempts',
    ]);
  });

  it('that the budget of retries is spent', async () => {
    const { app, clock, book } = await startLogged({ providers: [GithubClient] }, { shields: [GITHUB] });
    const client = app.get(GithubClient);
    client.answer = overloaded;
    const { budget } = app.get<Shield>(getShieldToken('github')).current.learned;
    while (budget.take(clock.monotonicMs()));
    await clock.settle(rejection(client.issues()));
    expect(book.taken().slice(1)).toEqual([
      "warn [Resilience] shield 'github' has no retry left (GithubClient.issues)",
      "warn [Resilience] GithubClient.issues gave up after 1 attempt in 0 s: Overloaded; shield 'github' had no retry left",
    ]);
  });

  it('that a shield let nobody in', async () => {
    const shields = [{ ...GITHUB, whenLimited: 'reject' }] as const;
    const { app, clock, book } = await startLogged({ providers: [GithubClient] }, { shields });
    const client = app.get(GithubClient);
    client.answer = overloaded;
    await clock.settle(rejection(client.issues()));
    book.taken();
    await rejection(client.issues());
    expect(book.taken()).toEqual([
      "warn [Resilience] GithubClient.issues gave up after 1 attempt in 0 s: ShieldLimitedError; shield 'github' let it not in",
    ]);
  });

  it('that a concurrency limit refused a call', async () => {
    @Injectable()
    class Client {
      @Resilient({ concurrencyLimit: 'db' })
      async call(): Promise<void> {
        await new Promise(() => {});
      }
    }
    const concurrencyLimits = [{ name: 'db', maxConcurrent: 1 }];
    const { app, book } = await startLogged({ providers: [Client] }, { concurrencyLimits });
    void app.get(Client).call();
    await rejection(app.get(Client).call());
    expect(book.taken()).toEqual([
      "warn [Resilience] concurrency limit 'db' refused Client.call: it is full",
      'warn [Resilience] Client.call gave up after 1 attempt in 0 s: ConcurrencyLimitError',
    ]);
  });
});

describe('a line', () => {
  function linesOf(...events: ReturnType<typeof eventAt>[]): string[] {
    const book = new LogBook();
    Logger.overrideLogger(book);
    const logger = new ResilienceLogger({ linesPerMinute: 2 });
    for (const event of events) logger.emit(event);
    logger.flush();
    Logger.overrideLogger(false);
    return book.lines;
  }
  const move = { shield_name: 'github', profile: 'api', rate: 1.23456, w_max: 2 };

  it('tells the rate in three digits, and of the end of the limit', () => {
    expect(linesOf(eventAt(0, 'shield.engaged', move), eventAt(1, 'shield.disengaged', move))).toEqual([
      "warn [Resilience] shield 'github' limits the rate to 1.23 calls a second (Client.call)",
      "log [Resilience] shield 'github' limits the rate no more (Client.call)",
    ]);
  });

  it('is held back where there are too many of its kind', () => {
    const refused = { attempt_number: 1, limit_name: 'db', reason: 'waited_too_long' } as const;
    const events = [0, 1, 2, 3].map((atMs) => eventAt(atMs, 'concurrency_limit.rejected', refused));
    expect(linesOf(...events)).toEqual([
      "warn [Resilience] concurrency limit 'db' refused Client.call: the wait grew too long",
      "warn [Resilience] concurrency limit 'db' refused Client.call: the wait grew too long",
      "warn [Resilience] concurrency limit 'db' refused … and 2 more within a minute, until 2026-01-01T00:00:00.003Z",
    ]);
  });

  it('is one line, whatever a name holds', () => {
    const [line] = linesOf(eventAt(0, 'shield.engaged', { ...move, shield_name: 'a\nerror [Resilience] b' }));
    expect(line).toBe(
      "warn [Resilience] shield 'a\\u{a}error [Resilience] b' limits the rate to 1.23 calls a second (Client.call)",
    );
  });

  it('is not written of how a rate moves, nor twice of one end', () => {
    const ended = { shield_name: 'github', profile: 'api' };
    expect(
      linesOf(
        eventAt(0, 'shield.rate_changed', move),
        eventAt(0, 'shield.gave_up', { ...ended, reason: 'attempts_exhausted', attempt_count: 4 }),
        eventAt(0, 'shield.recovered', { ...ended, by: 'cache', reason: null }),
        eventAt(0, 'concurrency_limit.waited', { attempt_number: 1, limit_name: 'db', waited_seconds: 1 }),
      ),
    ).toEqual([]);
  });
});
