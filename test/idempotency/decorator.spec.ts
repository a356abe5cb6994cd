import { describe, expect, it } from '@jest/globals';
import {
  IdempotencyPolicy,
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  OperationExecutionError,
  reportOf,
  Resilient,
  resultOf,
} from '../../lib/index.js';
import { noWait, rejectionOf, World } from '../decorator/support.js';
import { roleOf } from './support.js';

const store = new InMemoryIdempotencyStore();
const down = new Error('down');

class Client {
  calls: string[] = [];
  constructor(readonly tenant = 't') {}

  @Resilient({ idempotencyKey: (id: string) => id })
  async charge(id: string): Promise<{ by: string }> {
    this.calls.push(id);
    return { by: this.tenant };
  }

  @Resilient({
    idempotencyKey(this: Client, id: string) {
      return `${this.tenant}:${id}`;
    },
    idempotencyStore: store,
  })
  async chargeForTenant(id: string): Promise<string> {
    this.calls.push(id);
    return this.tenant;
  }

  @Resilient({ idempotency: idempotencyPolicy((id: string) => id, { store, scope: 'all charges' }) })
  async shared(id: string): Promise<string> {
    this.calls.push(id);
    return `shared ${this.tenant}`;
  }

  @Resilient({
    name: 'refund',
    idempotency: new IdempotencyPolicy({ key: (id: string) => id, store, scope: 'all charges' }),
  })
  async alsoShared(id: string): Promise<string> {
    this.calls.push(id);
    return `also ${this.tenant}`;
  }

  @Resilient({ retries: 1, backoff: noWait, idempotencyKey: () => 'k' })
  async fails(): Promise<void> {
    this.calls.push('fails');
    throw down;
  }

  @Resilient({ throws: 'execution-error', idempotencyKey: () => 'k' })
  async failsWithReport(): Promise<void> {
    throw down;
  }

  @Resilient({ idempotencyKey: (id: string) => id })
  static async made(id: string): Promise<string> {
    made.push(id);
    return id;
  }
}
class Child extends Client {
  override async charge(id: string): Promise<{ by: string }> {
    return super.charge(`child ${id}`);
  }
}
const made: string[] = [];

describe('a decorated method with a key', () => {
  it('gives plain values, one execution for all of them', async () => {
    const client = new Client();
    const [one, two] = await Promise.all([client.charge('a'), client.charge('a')]);
    expect([one, two, await client.charge('a')]).toEqual([{ by: 't' }, { by: 't' }, { by: 't' }]);
    expect(client.calls).toEqual(['a']);
  });

  it('finds its key with its instance and its arguments [R165, R242]', async () => {
    const [one, other] = [new Client('one'), new Client('other')];
    expect([await one.chargeForTenant('a'), await other.chargeForTenant('a')]).toEqual(['one', 'other']);
    expect(await new Client('one').chargeForTenant('a')).toBe('one');
    expect([one.calls, other.calls]).toEqual([['a'], ['a']]);
  });

  it('has a store for each instance outside an application: nothing leaks from one to the next', async () => {
    const [one, other] = [new Client('one'), new Client('other')];
    const values = [await one.charge('a'), await other.charge('a'), await one.charge('a')];
    expect(values).toEqual([{ by: 'one' }, { by: 'other' }, { by: 'one' }]);
    expect([one.calls, other.calls]).toEqual([['a'], ['a']]);
  });

  it('has one store where it is static', async () => {
    expect([await Client.made('a'), await Client.made('a'), made]).toEqual(['a', 'a', ['a']]);
  });

  it('shares its keys with all instances where a store is given, and with other methods of its scope', async () => {
    const [one, other] = [new Client('one'), new Client('other')];
    expect(await one.shared('x')).toBe('shared one');
    expect([await other.shared('x'), await other.alsoShared('x')]).toEqual(['shared one', 'shared one']);
    const { report } = await resultOf(other.alsoShared('x'));
    expect([report.operationName, roleOf(report), other.calls]).toEqual(['Client.shared', 'replayed', []]);
  });

  it('keeps the keys of a subclass apart by its instance', async () => {
    const child = new Child();
    await child.charge('a');
    await child.charge('a');
    expect(child.calls).toEqual(['child a']);
  });

  it('goes by the time of its world', async () => {
    const world = new World();
    const client = world.adopt(new Client());
    await client.charge('a');
    await world.clock.advance('59m');
    await client.charge('a');
    expect(client.calls).toEqual(['a']);
    await world.clock.advance('1m');
    await client.charge('a');
    expect([client.calls, world.clock.pendingTimers]).toEqual([['a', 'a'], 0]);
  });

  it('rejects for all with the very error of the method, whose account is that of the one who executed [R159]', async () => {
    const client = new Client();
    const errors = await Promise.all([rejectionOf(client.fails()), rejectionOf(client.fails())]);
    expect([errors, client.calls]).toEqual([
      [down, down],
      ['fails', 'fails'],
    ]);
    expect(errors[0]).toBe(errors[1]);
    expect(roleOf(reportOf(down) as never)).toBe('executed');
  });

  it("gives each its own error with its own report under throws: 'execution-error'", async () => {
    const client = new Client();
    const errors = await Promise.all([
      rejectionOf(client.failsWithReport()),
      rejectionOf(client.failsWithReport()),
    ]);
    expect(errors.every((error) => error instanceof OperationExecutionError)).toBe(true);
    expect((errors as OperationExecutionError[]).map(({ cause, report }) => [cause, roleOf(report)])).toEqual(
      [
        [down, 'executed'],
        [down, 'joined'],
      ],
    );
  });

  it('gives a result with its own report to resultOf(), executed, joined and replayed [R174]', async () => {
    const client = new Client();
    const results = await Promise.all([resultOf(client.charge('a')), resultOf(client.charge('a'))]);
    results.push(await resultOf(() => client.charge('a')));
    expect(results.map(({ report }) => roleOf(report))).toEqual(['executed', 'joined', 'replayed']);
  });

  it('ends with the signal that resultOf() is given, others go on', async () => {
    const client = new Client();
    const controller = new AbortController();
    const first = rejectionOf(resultOf(() => client.charge('a'), { signal: controller.signal }));
    const second = client.charge('a');
    const reason = new Error('away');
    controller.abort(reason);
    expect([await first, await second, client.calls]).toEqual([reason, { by: 't' }, ['a']]);
  });

  it('has no store and no key in the names of its instance', async () => {
    const client = new Client();
    await client.charge('a');
    expect(Reflect.ownKeys(client).sort()).toEqual(['calls', 'tenant']);
  });
});
