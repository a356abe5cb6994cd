import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable } from '@nestjs/common';
import { ConcurrencyLimitError, Resilient, Shielded, ShieldLimitedError } from '../../lib/index.js';
import { problem, PLATFORMS, serveOn } from '../nest-http-errors/support.js';
import { FakeClock } from '../../lib/testing/index.js';
import { GITHUB, onClock, overloaded } from './support.js';

const OVERLOADED = [503, 'RELPRIM_SHIELD_LIMITED', 'A service that is needed here is overloaded'] as const;
const AT_ONCE = [503, 'RELPRIM_CONCURRENCY_LIMIT', 'Too many requests at once'] as const;

@Injectable()
class Client {
  @Shielded('github')
  async overloaded(): Promise<string> {
    return overloaded();
  }

  @Resilient({ concurrencyLimit: 'db' })
  async hangs(): Promise<string> {
    return new Promise(() => {});
  }
}

@Controller()
class Pages {
  constructor(readonly client: Client) {}

  @Get('limited')
  limited(): never {
    throw new ShieldLimitedError('sk-secret', 'limited', 1.2);
  }

  @Get('long')
  long(): never {
    throw new ShieldLimitedError('sk-secret', 'waited_too_long', 61);
  }

  @Get('full')
  full(): never {
    throw new ConcurrencyLimitError('sk-secret', 'queue_full', 1, 5);
  }

  @Get('issues')
  issues(): Promise<string> {
    return this.client.overloaded();
  }

  @Get('hangs')
  hangs(): Promise<string> {
    return this.client.hangs();
  }
}

const options = {
  exceptionFilter: true,
  shields: [{ ...GITHUB, whenLimited: 'reject', profile: 'internal' }],
  concurrencyLimits: [{ name: 'db', maxConcurrent: 1 }],
} as const;

describe.each(PLATFORMS)('on %s a request', (platform) => {
  const site = () => serveOn(platform, { controllers: [Pages], providers: [Client] }, options);

  it('that a shield refuses is answered 503, with the seconds after which there may be room, rounded up', async () => {
    const { ask, logged } = await site();
    for (const [path, seconds] of [
      ['/limited', '2'],
      ['/long', '61'],
    ] as const) {
      const reply = await ask(path);
      expect(reply).toMatchObject(problem(...OVERLOADED, seconds));
      expect(reply.everything).not.toContain('secret');
    }
    expect(logged).toEqual([]);
  });

  it('that a concurrency limit refuses is answered 503, without a time, as nobody knows it', async () => {
    const { ask } = await site();
    const reply = await ask('/full');
    expect(reply).toMatchObject(problem(...AT_ONCE));
    expect(reply.everything).not.toContain('secret');
  });

  it('that meets them in the application is answered alike', async () => {
    const { ask, app } = await site();
    void app.get(Client).hangs();
    expect(await ask('/hangs')).toMatchObject(problem(...AT_ONCE));
  });
});

describe('a call that its shield gives up', () => {
  it('is answered as its own error is, and the next one, which is not admitted, 503', async () => {
    const clock = new FakeClock();
    const { ask, app } = await serveOn(
      'Express',
      { controllers: [Pages], providers: [Client] },
      options,
      undefined,
      (builder) => onClock(builder, clock),
    );
    await clock.settle(
      app
        .get(Client)
        .overloaded()
        .catch(() => undefined),
    );
    const reply = await ask('/issues');
    expect(reply).toMatchObject({ ...problem(...OVERLOADED), retryAfter: expect.stringMatching(/^\d+$/) });
  });
});
