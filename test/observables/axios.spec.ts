import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import { firstValueFrom, map, Observable } from 'rxjs';
import { currentAttempt, isRetryableHttp, Resilient, resultOf } from '../../lib/index.js';
import { start } from '../nest/support.js';
import { everySeconds } from '../operation/support.js';
import { deferred } from '../support/deferred.js';

type Answer = (response: ServerResponse) => void;
const answers = (status: number, body: object): Answer => {
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const silence: Answer = () => undefined;

let server: Server;
let script: Answer[];
let requests: IncomingMessage[];
let aborted: Promise<void>;

beforeEach(async () => {
  script = [];
  requests = [];
  const gone = deferred();
  aborted = gone.promise;
  server = createServer((request, response) => {
    requests.push(request);
    response.on('close', () => {
      if (!response.writableFinished) gone.resolve();
    });
    (script[requests.length - 1] ?? silence)(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

@Injectable()
class Users {
  constructor(@Inject(HttpService) private readonly http: HttpService) {}

  @Resilient({
    retries: 2,
    retryOn: isRetryableHttp,
    backoff: everySeconds(0),
    timeout: '150ms',
    fallback: 'nobody',
  })
  find(id: string): Observable<string> {
    return this.get(id);
  }

  @Resilient()
  watch(id: string): Observable<string> {
    return this.get(id);
  }

  @Resilient({ timeout: '50ms' })
  stream(id: string): Observable<unknown> {
    const { signal } = currentAttempt();
    return this.http.get(this.url(id), { responseType: 'stream', signal });
  }

  nobody(id: string): string {
    return `nobody of ${id}`;
  }

  private get(id: string): Observable<string> {
    return this.http.get<{ name: string }>(this.url(id)).pipe(map(({ data }) => data.name));
  }

  private url(id: string): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/users/${id}`;
  }
}

async function users(): Promise<Users> {
  const app = await start({ imports: [HttpModule], providers: [Users] });
  return app.get(Users);
}

describe('HttpService in a decorated method', () => {
  it('asks again after an answer that is worth it', async () => {
    script = [answers(503, {}), answers(200, { name: 'Ada' })];
    const client = await users();
    const { value, report } = await firstValueFrom(resultOf(client.find('7')));
    expect([value, requests.map(({ url }) => url)]).toEqual(['Ada', ['/users/7', '/users/7']]);
    expect(report.attempts.map(({ status, error }) => error?.type ?? status)).toEqual([
      'AxiosError',
      'succeeded',
    ]);
  });

  it('goes to the fallback at once for one that is not', async () => {
    script = [answers(404, {})];
    expect(await firstValueFrom((await users()).find('7'))).toBe('nobody of 7');
    expect(requests).toHaveLength(1);
  });

  it('aborts the request at its timeout, and asks again', async () => {
    script = [silence, answers(200, { name: 'Ada' })];
    const { value, report } = await firstValueFrom(resultOf((await users()).find('7')));
    await aborted;
    expect([value, requests.length]).toEqual(['Ada', 2]);
    expect(report.attempts.map(({ status }) => status)).toEqual(['timed_out', 'succeeded']);
  });

  it('aborts the request when the subscriber leaves', async () => {
    const client = await users();
    const arrived = deferred();
    script = [() => arrived.resolve()];
    const subscription = client.watch('7').subscribe();
    await arrived.promise;
    subscription.unsubscribe();
    await aborted;
    expect(requests).toHaveLength(1);
  });

  it('sends nothing before somebody subscribes', async () => {
    const asked = (await users()).watch('7');
    script = [answers(200, { name: 'Ada' })];
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(requests).toHaveLength(0);
    expect(await firstValueFrom(asked)).toBe('Ada');
  });

  it('aborts a stream by the signal of its attempt, as HttpService does not do that itself', async () => {
    await expect(firstValueFrom((await users()).stream('7'))).rejects.toThrow('within its timeout of 0.05 s');
    await aborted;
    expect(requests).toHaveLength(1);
  });
});
