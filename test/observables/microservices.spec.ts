import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Inject, Injectable, type INestMicroservice } from '@nestjs/common';
import {
  ClientProxy,
  ClientsModule,
  MessagePattern,
  RpcException,
  Transport,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom, NEVER, Observable, of, throwError } from 'rxjs';
import { isRetryableHttp, MisuseError, OperationTimeoutError, Resilient, resultOf } from '../../lib/index.js';
import { ResilienceModule } from '../../nest-module/index.js';
import { everySeconds } from '../operation/support.js';
import { attemptsOf } from './support.js';

let asked: string[] = [];

@Controller()
class Sums {
  private readonly tries = new Map<string, number>();

  @MessagePattern('sum')
  sum([id, ...numbers]: [string, ...number[]]): Observable<number> {
    asked.push(id);
    const tries = (this.tries.get(id) ?? 0) + 1;
    this.tries.set(id, tries);
    if (id.startsWith('flaky') && tries === 1) return throwError(() => new RpcException('not yet'));
    if (id.startsWith('silent') && tries === 1) return NEVER;
    return of(numbers.reduce((sum, number) => sum + number, 0));
  }

  @MessagePattern('count')
  count(): Observable<number> {
    asked.push('count');
    return of(1, 2, 3);
  }

  @MessagePattern('protected')
  @Resilient({ retries: 1, backoff: everySeconds(0) })
  protected(id: string): Observable<string> {
    asked.push(id);
    return asked.length === 1 ? throwError(() => new RpcException('not yet')) : of(`answer to ${id}`);
  }
}

@Injectable()
class Calculator {
  constructor(@Inject('SUMS') private readonly client: ClientProxy) {}

  @Resilient({ retries: 1, backoff: everySeconds(0), timeout: '300ms' })
  sum(id: string, ...numbers: number[]): Observable<number> {
    return this.client.send<number>('sum', [id, ...numbers]);
  }

  @Resilient({ retries: 3, retryOn: isRetryableHttp })
  count(): Observable<number> {
    return this.client.send<number>('count', {});
  }

  @Resilient()
  ask(id: string): Observable<string> {
    return this.client.send<string>('protected', id);
  }
}

let service: INestMicroservice;
let app: TestingModule;

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

beforeAll(async () => {
  const options = { host: '127.0.0.1', port: await freePort() };
  const serving = await Test.createTestingModule({
    imports: [ResilienceModule.forRoot()],
    controllers: [Sums],
  }).compile();
  service = serving.createNestMicroservice<MicroserviceOptions>({ transport: Transport.TCP, options });
  await service.listen();
  const clients = ClientsModule.register([{ name: 'SUMS', transport: Transport.TCP, options }]);
  app = await Test.createTestingModule({
    imports: [ResilienceModule.forRoot(), clients],
    providers: [Calculator],
  }).compile();
  await app.init();
});

afterAll(async () => {
  await app.close();
  await service.close();
});

beforeEach(() => void (asked = []));

describe('ClientProxy.send() in a decorated method', () => {
  it('is sent at the subscription, and gives its answer with a report', async () => {
    const observable = app.get(Calculator).sum('plain', 1, 2, 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toEqual([]);
    const { value, report } = await firstValueFrom(resultOf(observable));
    expect([value, attemptsOf(report), asked]).toEqual([6, 'succeeded', ['plain']]);
  });

  it('is sent again after an error of the other side', async () => {
    const { value, report } = await firstValueFrom(resultOf(app.get(Calculator).sum('flaky', 2, 2)));
    expect([value, attemptsOf(report), asked]).toEqual([4, 'failed succeeded', ['flaky', 'flaky']]);
  });

  it('is left at the timeout, and sent again', async () => {
    const { value, report } = await firstValueFrom(resultOf(app.get(Calculator).sum('silent', 2, 3)));
    expect([value, attemptsOf(report), asked]).toEqual([5, 'timed_out succeeded', ['silent', 'silent']]);
    expect(report.attempts[0]?.error?.type).toBe(OperationTimeoutError.name);
  });

  it('may not give several answers', async () => {
    await expect(firstValueFrom(app.get(Calculator).count())).rejects.toThrow(MisuseError);
    expect(asked).toEqual(['count']);
  });
});

describe('a decorated message handler', () => {
  it('answers with the value of its Observable, after a retry', async () => {
    expect(await firstValueFrom(app.get(Calculator).ask('q'))).toBe('answer to q');
    expect(asked).toEqual(['q', 'q']);
  });
});
