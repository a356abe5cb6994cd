import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable } from '@nestjs/common';
import { Resilient } from '../../lib/index.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { everySeconds } from './shutdown-scene.js';
import { PLATFORMS, serve } from './support.js';

@Injectable()
class Client {
  /** Settles when an attempt has begun. */
  begun = deferred();
  answers = deferred<string>();

  @Resilient({ retries: 3, backoff: everySeconds(3_600), circuitBreaker: 'payments' })
  async charge(): Promise<string> {
    this.begun.resolve();
    return this.answers.promise;
  }
}

@Controller()
class OrdersController {
  constructor(private readonly client: Client) {}

  @Get('charge')
  charge(): Promise<string> {
    return this.client.charge();
  }
}

const OPTIONS = { circuitBreakers: [{ name: 'payments' }], exceptionFilter: true };

describe.each(PLATFORMS)('when an application closes on %s, its server', (platform) => {
  const shop = async () => {
    const metadata = { controllers: [OrdersController], providers: [Client] };
    const server = await serve(metadata, OPTIONS, undefined, platform);
    return { ...server, client: server.app.get(Client) };
  };

  // D8
  it('is not held up by a request that waits for its next attempt, which is answered', async () => {
    const { app, ask, client } = await shop();
    const answer = ask('/charge');
    await client.begun.promise;
    client.answers.reject(new Error('password=1234'));
    await new Promise((resolve) => void setImmediate(resolve));
    await app.close();
    const { status, text } = await answer;
    expect([status, JSON.parse(text)]).toEqual([
      503,
      {
        type: 'urn:relprim:problem:shutdown',
        title: 'The server is shutting down',
        status: 503,
        code: 'RELPRIM_SHUTDOWN',
      },
    ]);
  });

  it('waits for a request that is in an attempt, which has its answer', async () => {
    const { app, ask, client } = await shop();
    // Whether a server closes a connection that has just become idle is not our affair.
    const answer = ask('/charge', { headers: { connection: 'close' } });
    await client.begun.promise;
    const closing = app.close();
    const closed = watch(closing);
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
    expect(closed.state).toBe('pending');
    client.answers.resolve('charged');
    expect(await answer).toEqual({ status: 200, text: 'charged' });
    await closing;
  });
});
