import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { Test, type TestingModuleBuilder as Builder } from '@nestjs/testing';
import { MethodExecutor } from '../../lib/container.js';
import { Resilient } from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { RESILIENCE_EXECUTOR } from '../../nest-module/index.js';
import { build, calls, closing, start, watch } from './support.js';

@Injectable()
class Client {
  @Resilient()
  async call(): Promise<string> {
    return 'value';
  }
}

describe('two applications in one process', () => {
  it('never meet, though they have the same class', async () => {
    const first = watch(await start({ providers: [Client] }), 'FIRST');
    const second = watch(await start({ providers: [Client] }), 'SECOND');
    await first.get(Client).call();
    await second.get(Client).call();
    await Promise.all([first.get(Client).call(), second.get(Client).call()]);
    expect(calls()).toEqual([
      'FIRST Client.call',
      'SECOND Client.call',
      'FIRST Client.call',
      'SECOND Client.call',
    ]);
  });

  it('stay apart when one of them is closed', async () => {
    const first = watch(await start({ providers: [Client] }), 'FIRST');
    const second = watch(await build({ providers: [Client] }), 'SECOND');
    await second.init();
    await second.close();
    await first.get(Client).call();
    expect(calls()).toEqual(['FIRST Client.call']);
    await second.get(Client).call();
    expect(calls()).toEqual(['SECOND Client.call']);
  });

  it('take over an instance that a test gives to one application after the other', async () => {
    const shared = new Client();
    const providers = [{ provide: Client, useValue: shared }];
    const first = watch(await start({ providers }), 'FIRST');
    await first.get(Client).call();
    const second = watch(await start({ providers }), 'SECOND');
    await second.get(Client).call();
    expect(calls()).toEqual(['FIRST Client.call', 'SECOND Client.call']);
  });

  it('leave an instance that the other one made to it', async () => {
    const first = watch(await start({ providers: [Client] }), 'FIRST');
    const second = watch(
      await start({ providers: [{ provide: Client, useValue: first.get(Client) }] }),
      'SECOND',
    );
    await second.get(Client).call();
    expect(calls()).toEqual(['FIRST Client.call']);
  });
});

describe('a test that overrides providers', () => {
  it('puts another executor in the place of the real one', async () => {
    const seen: string[] = [];
    const host = new StandaloneHost();
    (host.observers as unknown[]).push(({ operationName }: { operationName: string }) =>
      seen.push(operationName),
    );
    const app = await start({ providers: [Client] }, {}, (builder) =>
      builder.overrideProvider(RESILIENCE_EXECUTOR).useValue(new MethodExecutor(host)),
    );
    await app.get(Client).call();
    expect(seen).toEqual(['Client.call']);
    expect(calls()).toEqual([]);
  });

  it('puts a subclass, a value or a factory in the place of a provider', async () => {
    class Sub extends Client {}
    const replaced = (replace: (override: ReturnType<Builder['overrideProvider']>) => Builder) =>
      start({ providers: [Client] }, {}, (builder) => replace(builder.overrideProvider(Client)));
    const apps = [
      await replaced((client) => client.useClass(Sub)),
      await replaced((client) => client.useValue(new Sub())),
      await replaced((client) => client.useFactory({ factory: () => new Sub() })),
    ];
    for (const app of apps) await watch(app).get(Client).call();
    expect(calls()).toEqual(['APP Sub.call', 'APP Sub.call', 'APP Sub.call']);
  });

  it.each([
    [
      'a mock of everything',
      () => new Proxy({}, { get: (_mock, key) => (key === 'then' ? undefined : () => undefined) }),
    ],
    ['an empty object', () => ({})],
    ['nothing', () => undefined],
  ])('mocks what is missing with %s: the method runs on the stand-alone executor', async (_name, mock) => {
    @Injectable()
    class WithMissing extends Client {
      constructor(@Inject('missing') readonly missing: unknown = undefined) {
        super();
      }
    }
    const providers = [Client, WithMissing, { provide: 'missing', useValue: 1 }];
    const app = closing(await Test.createTestingModule({ providers }).useMocker(mock).compile());
    expect(await app.get(Client).call()).toBe('value');
    expect(await app.get(WithMissing).call()).toBe('value');
    expect(calls()).toEqual(['DEFAULT Client.call', 'DEFAULT WithMissing.call']);
  });
});
