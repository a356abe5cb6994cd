import { describe, expect, it, jest } from '@jest/globals';
import { Controller, Logger, Module, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import type { AddressInfo } from 'node:net';
import { lastValueFrom, throwError, type Observable } from 'rxjs';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { ResilienceExceptionFilter } from '../../nest-module/index.js';
import { build, closing } from '../nest/support.js';

const open = () => new CircuitBreakerOpenError('stock', 'open', 7);

@Controller()
class StockMessages {
  @MessagePattern('promise')
  async promise(): Promise<void> {
    throw open();
  }

  @MessagePattern('stream')
  stream(): Observable<never> {
    return throwError(open);
  }
}

@Module({ providers: [{ provide: APP_FILTER, useClass: ResilienceExceptionFilter }] })
class WithFilter {}

/** What a client over TCP is told, and what Nest logs. */
async function answers(imports: Type[]) {
  const logged: string[] = [];
  const nothing = () => undefined;
  const logger = { log: nothing, warn: nothing, error: (error: unknown) => void logged.push(String(error)) };
  const testing = await build({ controllers: [StockMessages], imports });
  const options = { host: '127.0.0.1', port: 0 };
  const app = closing(testing.createNestMicroservice({ transport: Transport.TCP, options, logger }));
  await app.listen();
  const { port } = app.unwrap<{ address(): AddressInfo }>().address();
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port },
  });
  const told = [];
  for (const pattern of ['promise', 'stream'])
    told.push(await lastValueFrom(client.send(pattern, {})).catch((error: unknown) => error));
  await client.close();
  return { told, logged };
}

describe('the exception filter', () => {
  it('leaves microservices to Nest', async () => {
    const bare = await answers([]);
    expect(bare.told).toEqual([
      { status: 'error', message: 'Internal server error' },
      { status: 'error', message: 'Internal server error' },
    ]);
    expect(bare.logged).toEqual([String(open()), String(open())]);
    expect(await answers([WithFilter])).toEqual(bare);
  });

  it.each([
    ['Socket.IO', {}, 'emit', ['exception', { status: 'error', message: 'Internal server error' }]],
    [
      'ws',
      { readyState: 1 },
      'send',
      ['{"event":"exception","data":{"status":"error","message":"Internal server error"}}'],
    ],
  ] as const)(
    'tells a socket of %s what Nest tells it, and logs the error',
    (_library, fields, way, message) => {
      const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      const client = { ...fields, emit: jest.fn(), send: jest.fn() };
      const host = new ExecutionContextHost([client, { id: 1 }, 'pattern']);
      host.setType('ws');
      const failure = open();
      new ResilienceExceptionFilter().catch(failure, host);
      expect(client[way].mock.calls).toEqual([message]);
      expect(client[way === 'emit' ? 'send' : 'emit']).not.toHaveBeenCalled();
      expect(error.mock.calls).toEqual([[failure]]);
      error.mockRestore();
    },
  );
});
