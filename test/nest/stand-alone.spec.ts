import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Resilient } from '../../lib/index.js';
import { calls, closing, compile, start, watch } from './support.js';

@Injectable()
class Client {
  @Resilient()
  static async shared(): Promise<string> {
    return 'static';
  }

  @Resilient()
  async call(): Promise<string> {
    return 'value';
  }
}

// What no container can reach; the documentation names these.
describe('a decorated method runs on the stand-alone executor', () => {
  it('when the instance was made outside the container', async () => {
    watch(await start({ providers: [Client] }));
    // B146
    expect(await new Client().call()).toBe('value');
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });

  it('when the application has no resilience module', async () => {
    const app = closing(await Test.createTestingModule({ providers: [Client] }).compile());
    await app.init();
    expect(await app.get(Client).call()).toBe('value');
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });

  it('when the method was taken off its instance', async () => {
    const app = watch(await start({ providers: [Client] }));
    const { call } = app.get(Client);
    expect(await call()).toBe('value');
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });

  it('when the method is static', async () => {
    watch(await start({ providers: [Client, { provide: 'class', useValue: Client }] }));
    expect(await Client.shared()).toBe('static');
    expect(calls()).toEqual(['DEFAULT Client.shared']);
  });

  it('when a factory makes the instance for each request', async () => {
    const provider = { provide: 'client', scope: Scope.REQUEST, useFactory: () => new Client() };
    const app = watch(await start({ providers: [provider] }));
    await (await app.resolve<Client>('client')).call();
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });

  it('when a factory or value gave the instance and the application is not initialised yet', async () => {
    const app = watch(await compile({ providers: [{ provide: 'made', useFactory: () => new Client() }] }));
    await app.get<Client>('made').call();
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });

  it('when the constructor calls it', async () => {
    @Injectable()
    class Eager extends Client {
      readonly first = this.call();
    }
    const app = watch(await start({ providers: [Eager] }));
    expect(await app.get(Eager).first).toBe('value');
    expect(calls()).toEqual(['DEFAULT Eager.call']);
  });

  it('when a factory that injects the provider calls it', async () => {
    const warm = {
      provide: 'warm',
      inject: [Client],
      useFactory: (client: Client) => client.call(),
    };
    const app = watch(await start({ providers: [Client, warm] }));
    expect(app.get('warm')).toBe('value');
    expect(calls()).toEqual(['DEFAULT Client.call']);
    await app.get(Client).call();
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when an object of the application hides the instance', async () => {
    @Injectable()
    class Holder {
      constructor(@Inject('held') readonly held: { readonly client: Client }) {}
    }
    const app = watch(
      await start({ providers: [Holder, { provide: 'held', useValue: { client: new Client() } }] }),
    );
    await app.get(Holder).held.client.call();
    expect(calls()).toEqual(['DEFAULT Client.call']);
  });
});
