import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Injectable, Scope } from '@nestjs/common';
import { Resilient } from '../../lib/index.js';
import { calls, start, watch } from './support.js';

class Plain {
  readonly host = 'api';
  private readonly port = 80;

  async call(): Promise<string> {
    return `${this.host}:${this.port}`;
  }
}

@Injectable()
class Client {
  readonly host = 'api';
  private readonly port = 80;

  @Resilient()
  async call(): Promise<string> {
    return `${this.host}:${this.port}`;
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientClient extends Client {}

describe.each([
  ['constructed by Nest', Client],
  ['constructed for its owner', TransientClient],
  ['made by a factory', 'made'],
])('nothing of the handle shows in an instance that was %s', (_name, token) => {
  async function instance(): Promise<Client> {
    const providers = [Client, TransientClient, { provide: 'made', useFactory: () => new Client() }];
    const app = watch(await start({ providers }));
    const client = token === TransientClient ? await app.resolve(TransientClient) : app.get<Client>(token);
    await client.call();
    expect(calls()[0]).toMatch(/^APP /);
    return client;
  }

  it('not to keys, copies and JSON', async () => {
    const client = await instance();
    const own = { host: 'api', port: 80 };
    expect(Object.keys(client)).toEqual(['host', 'port']);
    expect(Object.getOwnPropertyNames(client)).toEqual(['host', 'port']);
    const walked: string[] = [];
    for (const key in client) walked.push(key);
    expect(walked).toEqual(['host', 'port']);
    expect(Object.entries(client)).toEqual(Object.entries(own));
    const copies = [{ ...client }, Object.assign({}, client), structuredClone(client)];
    for (const copy of copies) {
      expect(copy).toStrictEqual(own);
      expect(Reflect.ownKeys(copy)).toEqual(['host', 'port']);
    }
    expect(JSON.stringify(client)).toBe(JSON.stringify(own));
  });

  it('not to equality and inspection', async () => {
    const client = await instance();
    expect(client).toEqual(new Plain());
    expect(new Client()).toEqual(client);
    if (token !== TransientClient) expect(client).toStrictEqual(new Client());
    expect(inspect(client)).toBe(inspect(token === TransientClient ? new TransientClient() : new Client()));
  });

  it('not to a copy that has the methods too: that one is outside the application', async () => {
    const client = await instance();
    const copy = Object.assign(Object.create(Client.prototype) as Client, client);
    expect(await copy.call()).toBe('api:80');
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });
});

it('a prototype shows nothing but its methods', () => {
  expect(Object.getOwnPropertyNames(Client.prototype)).toEqual(['constructor', 'call']);
  expect(Object.keys(Client.prototype)).toEqual([]);
  expect({ ...Client.prototype }).toEqual({});
});
