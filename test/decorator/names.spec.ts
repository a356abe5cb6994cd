import { describe, expect, it } from '@jest/globals';
import { EventEmitter, InMemoryEventSink, Resilient, resultOf } from '../../lib/index.js';

const nameOf = async (promise: Promise<unknown>): Promise<string> =>
  (await resultOf(promise)).report.operationName;

describe('the name of an operation', () => {
  it('is Class.method by default, and the given name otherwise [R218, R219]', async () => {
    class Payments {
      @Resilient()
      async charge(): Promise<void> {}
      @Resilient({ name: ' refund a card ' })
      async refund(): Promise<void> {}
    }
    expect(await nameOf(new Payments().charge())).toBe('Payments.charge');
    expect(await nameOf(new Payments().refund())).toBe(' refund a card ');
  });

  it('takes the class at run time, so that a base client of five hosts has five names', async () => {
    abstract class HostClient {
      @Resilient()
      async get(): Promise<void> {}
    }
    class GitHub extends HostClient {}
    class GitLab extends HostClient {}
    class Bitbucket extends HostClient {}
    class Gitea extends HostClient {}
    class Forgejo extends Gitea {}
    const clients = [new GitHub(), new GitLab(), new Bitbucket(), new Gitea(), new Forgejo()];
    const names = ['GitHub.get', 'GitLab.get', 'Bitbucket.get', 'Gitea.get', 'Forgejo.get'];
    expect(await Promise.all(clients.map((client) => nameOf(client.get())))).toEqual(names);
    // And again, in another order, from the plans that are made by now.
    expect(await Promise.all(clients.toReversed().map((client) => nameOf(client.get())))).toEqual(
      names.toReversed(),
    );
  });

  it('keeps the class that owns a layer that was reached through super', async () => {
    const sink = new InMemoryEventSink();
    const events = new EventEmitter({ sinks: [sink] });
    class Base {
      @Resilient({ events })
      async read(): Promise<string> {
        return 'base';
      }
    }
    class Middle extends Base {
      override async read(): Promise<string> {
        return `middle of ${await super.read()}`;
      }
    }
    class Leaf extends Middle {
      @Resilient({ events })
      override async read(): Promise<string> {
        return `leaf of ${await super.read()}`;
      }
    }
    expect(await new Leaf().read()).toBe('leaf of middle of base');
    const started = sink.events().filter((event) => event.eventType === 'operation.started');
    expect(started.map((event) => event.operationName)).toEqual(['Leaf.read', 'Base.read']);

    sink.clear();
    expect(await new Base().read()).toBe('base');
    expect(sink.events()[0]?.operationName).toBe('Base.read');

    sink.clear();
    expect(await new Middle().read()).toBe('middle of base');
    expect(sink.events()[0]?.operationName).toBe('Base.read');
  });

  it('gives a subclass of an override its own name for the outer layer only', async () => {
    const names: string[] = [];
    const onReport = ({ operationName }: { operationName: string }) => names.push(operationName);
    class Base {
      @Resilient({ onReport })
      async read(): Promise<void> {}
    }
    class Middle extends Base {
      @Resilient({ onReport })
      override async read(): Promise<void> {
        await super.read();
      }
    }
    class Leaf extends Middle {}
    await new Leaf().read();
    expect(names).toEqual(['Base.read', 'Leaf.read']);
  });

  it('is that of the class for static methods, also of a subclass', async () => {
    class Api {
      @Resilient()
      static async fetch(): Promise<void> {}
    }
    class EuropeApi extends Api {}
    expect(await nameOf(Api.fetch())).toBe('Api.fetch');
    expect(await nameOf(EuropeApi.fetch())).toBe('EuropeApi.fetch');
  });

  it('shows the description of a symbol', async () => {
    const refresh = Symbol('refresh');
    const anonymous = Symbol();
    class Cache {
      @Resilient()
      async [refresh](): Promise<void> {}
      @Resilient()
      async [anonymous](): Promise<void> {}
      @Resilient()
      async 'two words'(): Promise<void> {}
      @Resilient()
      async 42(): Promise<void> {}
    }
    const cache = new Cache();
    expect(await nameOf(cache[refresh]())).toBe('Cache.[refresh]');
    expect(await nameOf(cache[anonymous]())).toBe('Cache.[]');
    expect(await nameOf(cache['two words']())).toBe('Cache.two words');
    expect(await nameOf(cache[42]())).toBe('Cache.42');
  });

  it('is the method alone in a class without a name', async () => {
    class Nameless {
      @Resilient()
      async read(): Promise<void> {}
    }
    Object.defineProperty(Nameless, 'name', { value: '' });
    expect(await nameOf(new Nameless().read())).toBe('read');
  });

  it('is shared by two methods that were given one', async () => {
    class Api {
      @Resilient({ name: 'upstream' })
      async one(): Promise<void> {}
      @Resilient({ name: 'upstream' })
      async two(): Promise<void> {}
    }
    const api = new Api();
    expect(await Promise.all([nameOf(api.one()), nameOf(api.two())])).toEqual(['upstream', 'upstream']);
  });
});
