import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope } from '@nestjs/common';
import { Resilient } from '../../lib/index.js';

// Everything here is defined before `relprim/nestjs` is imported for the first time.

@Injectable()
class Base {
  @Resilient()
  async call(): Promise<string> {
    return 'value';
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestClient extends Base {}

const clients = [Scope.DEFAULT, Scope.REQUEST, Scope.TRANSIENT].map((scope) => {
  @Injectable({ scope })
  class Client extends Base {
    @Inject('own')
    readonly own!: string;
  }
  return [Scope[scope], Client] as const;
});

const { calls, start, watch } = await import('./support.js');

describe('a class that was defined before the Nest module was imported', () => {
  it('is reached in every scope', async () => {
    const app = watch(await start({ providers: [Base, RequestClient] }));
    await app.get(Base).call();
    await (await app.resolve(RequestClient)).call();
    expect(calls()).toEqual(['APP Base.call', 'APP RequestClient.call']);
  });

  // Its own list of injected properties hides that of its base class.
  it.each(clients)(
    'is reached in scope %s though it has injected properties of its own',
    async (_scope, Client) => {
      @Injectable()
      class Owner {
        constructor(@Inject(Client) readonly client: InstanceType<typeof Client>) {}
      }
      const providers = [Client, Owner, { provide: 'own', useValue: 'injected' }];
      for (const label of ['FIRST', 'SECOND']) {
        const app = watch(await start({ providers }), label);
        const { client } = await app.resolve(Owner).catch(() => app.get(Owner));
        expect(await client.call()).toBe('value');
        expect(client.own).toBe('injected');
        const other = await app.resolve(Client).catch(() => app.get(Client));
        expect(await other.call()).toBe('value');
        expect(calls()).toEqual([`${label} Client.call`, `${label} Client.call`]);
      }
    },
  );
});
