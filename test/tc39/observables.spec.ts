import { beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom, Observable, of, throwError } from 'rxjs';
import { MisuseError, Resilient, resultOf, type MethodOptions } from '../../lib/index.js';
import { provideObservable } from '../../lib/operation/observable-class.js';
import { noWait, World } from '../decorator/support.js';
import { rejection, thrown } from '../operation/support.js';

// What importing relprim/nestjs does.
beforeAll(() => provideObservable(Observable));

const down = new Error('down');
const again: MethodOptions = { retries: 1, backoff: noWait };

class Base {
  readonly #calls: string[] = [];

  get calls(): readonly string[] {
    return this.#calls;
  }

  @Resilient({ ...again, returns: 'observable' })
  get(id: string): Observable<string> {
    this.#calls.push(id);
    return this.#calls.length === 1 ? throwError(() => down) : of(`user ${id}`);
  }

  @Resilient({ returns: 'observable', fallback: 'nobody' })
  lost(_id: string): Observable<string> {
    return throwError(() => down);
  }

  nobody(id: string): Observable<string> {
    return of(`nobody ${id}`);
  }

  @Resilient({ returns: 'observable' })
  static create(): Observable<string> {
    return of(this.name);
  }

  @Resilient({ returns: 'observable' })
  #hidden(): Observable<string> {
    return of('hidden');
  }

  hidden(): Observable<string> {
    return this.#hidden();
  }

  @(Resilient() as (method: unknown, context: unknown) => any)
  unannounced(): Observable<string> {
    return of('a');
  }
}

class Child extends Base {
  @Resilient({ returns: 'observable' })
  override get(id: string): Observable<string> {
    return super.get(`${id} of a child`);
  }
}

describe('a method that returns Observables, under standard decorators', () => {
  it("is one with returns: 'observable'", async () => {
    const client = new World().adopt(new Base());
    const observable = client.get('7');
    expect([observable instanceof Observable, client.calls]).toEqual([true, []]);
    const { value, report } = (await firstValueFrom(resultOf(observable) as Observable<any>)) as {
      value: string;
      report: { operationName: string; attempts: unknown[] };
    };
    expect([value, report.operationName, report.attempts.length]).toEqual(['user 7', 'Base.get', 2]);
    expect(client.calls).toEqual(['7', '7']);
  });

  it('may be inherited, overridden, static or private', async () => {
    expect(await firstValueFrom(new World().adopt(new Child()).get('7'))).toBe('user 7 of a child');
    expect(await firstValueFrom(Child.create())).toBe('Child');
    expect(await firstValueFrom(new Base().hidden())).toBe('hidden');
    expect(await firstValueFrom(new Base().lost('7'))).toBe('nobody 7');
  });

  it('throws a misuse that names the option without it', async () => {
    const error = thrown(() => new Base().unannounced());
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toContain("add returns: 'observable'");
    expect(
      await rejection(resultOf(() => new Base().unannounced() as unknown as Promise<string>)),
    ).toBeInstanceOf(MisuseError);
  });
});
