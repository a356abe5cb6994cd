import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { SqliteEventStore } from '../../lib/adapters/sqlite.js';
import {
  ResilienceDashboardModule,
  type ResilienceDashboardOptions,
} from '../../nest-module/dashboard/index.js';
import { ResilienceModule } from '../../nest-module/index.js';
import { closing } from '../nest/support.js';
import { ANYBODY } from './support.js';

const forRoot = (options: unknown) => () =>
  ResilienceDashboardModule.forRoot(options as ResilienceDashboardOptions);

describe('ResilienceDashboardModule.forRoot', () => {
  it('refuses to show the application to everybody, unless told that this is meant', () => {
    const problem =
      'ResilienceDashboardModule.forRoot: guard is missing, so that everybody could look into the application';
    expect(forRoot({})).toThrow(problem);
    expect(forRoot({ unsafe: false, operatorGuard: ANYBODY })).toThrow(problem);
    expect(forRoot(undefined)).toThrow(problem);
    expect(forRoot({ unsafe: true })).not.toThrow();
    expect(forRoot({ guard: ANYBODY })).not.toThrow();
  });

  it.each([
    [{ guard: ANYBODY, unsafe: true }, 'guard, unsafe are given together; give the guard alone'],
    [{ unsafe: 'yes' }, 'unsafe is a string; give true or false'],
    [{ guard: [] }, 'guard is an empty list; give at least one guard'],
    [
      { guard: () => true },
      'guard is a function; give a class or an object with a canActivate(context) method',
    ],
    [{ unsafe: true, operatorGuard: {} }, 'give a class or an object with a canActivate(context) method'],
    [{ unsafe: true, path: ' ' }, 'path is a blank string; give a fixed path of letters'],
    [{ unsafe: true, path: '/a/:b' }, 'give a fixed path of letters'],
    [{ unsafe: true, path: '/a/../b' }, 'give a fixed path of letters'],
    [{ unsafe: true, path: 7 }, 'path is the number 7; give a fixed path of letters'],
    [{ unsafe: true, history: {} }, 'give a store with reports() and history(), as a SqliteEventStore'],
    [{ unsafe: true, imports: {} }, 'imports is an object; give a list of modules'],
    [{ unsafe: true, paht: '/x' }, 'paht is not an option here; did you mean path?'],
  ])('refuses %j', (options, problem) => {
    expect(forRoot(options)).toThrow(problem);
  });

  it('takes the store of relprim/sqlite as it is', () => {
    const history = new SqliteEventStore({ path: 'never-opened.sqlite' });
    expect(() => ResilienceDashboardModule.forRoot({ unsafe: true, history })).not.toThrow();
  });

  it('says what is missing where it is imported as it is, or without the ResilienceModule', async () => {
    const start = (imports: any[]) => Test.createTestingModule({ imports }).compile();
    await expect(start([ResilienceDashboardModule, ResilienceModule.forRoot()])).rejects.toThrow(
      'ResilienceDashboardModule is imported as it is; import ResilienceDashboardModule.forRoot({ guard })',
    );
    await expect(start([ResilienceDashboardModule.forRoot({ unsafe: true })])).rejects.toThrow(
      'ResilienceDashboardModule finds no ResilienceModule; import ResilienceModule.forRoot() in the root module, too',
    );
  });

  it('says so where the token of the history is no store', async () => {
    const STORE = Symbol('store');
    const imports = [
      ResilienceModule.forRoot(),
      ResilienceDashboardModule.forRoot({
        unsafe: true,
        history: STORE,
        imports: [{ module: class {}, providers: [{ provide: STORE, useValue: 7 }], exports: [STORE] }],
      }),
    ];
    await expect(Test.createTestingModule({ imports }).compile()).rejects.toThrow(
      'history is the number 7; give a store with reports() and history()',
    );
  });

  it('has no effect on an application without HTTP', async () => {
    const imports = [ResilienceModule.forRoot(), ResilienceDashboardModule.forRoot({ unsafe: true })];
    const app = closing(await Test.createTestingModule({ imports }).compile());
    await expect(app.init()).resolves.toBe(app);
  });
});
