// Closes an application for each thing that a caller may keep of a call, and says which of them keeps it reachable.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { firstValueFrom, Observable, of, Subject, throwError } from 'rxjs';
import {
  currentAttempt,
  InMemoryIdempotencyStore,
  OperationExecutionError,
  OperationResult,
  Resilient,
  resultOf,
} from '../../../lib/index.js';
import { ResilienceExecutor, ResilienceModule } from '../../../nest-module/index.js';
import { NestHost } from '../../../nest-module/nest-host.js';

// What outlives every application. Errors are made here, as they hold whatever was on the stack when they were made.
const DOWN = new Error('down');
const LOST = new Error('lost');
const endless = new Subject<string>();
const twice = new Subject<string>();
const store = new InMemoryIdempotencyStore();

@Injectable()
class Client {
  @Resilient({ timeout: '1h' })
  async gives(): Promise<string> {
    return 'value';
  }

  @Resilient({ timeout: '1h' })
  async fails(): Promise<string> {
    throw DOWN;
  }

  @Resilient({ timeout: '1h' })
  emits(): Observable<string> {
    return of('value');
  }

  @Resilient({ timeout: '1h' })
  breaks(error: Error): Observable<string> {
    return throwError(() => error);
  }

  @Resilient({ timeout: '1h' })
  follows(source: Observable<string>): Observable<string> {
    signals.push(currentAttempt().signal);
    return source;
  }

  @Resilient({ timeout: '1h', idempotencyKey: (id: string) => id })
  async givesOnce(id: string): Promise<string> {
    return id;
  }

  @Resilient({ timeout: '1h', idempotencyKey: (id: string) => id })
  async failsOnce(_id: string): Promise<string> {
    throw DOWN;
  }

  @Resilient({ timeout: '1h', idempotencyKey: (id: string) => id })
  emitsOnce(id: string): Observable<string> {
    return of(id);
  }

  @Resilient({ timeout: '1h', idempotencyKey: (id: string) => id, idempotencyStore: store })
  async givesOnceForAll(id: string): Promise<string> {
    return id;
  }
}

@Module({
  imports: [ResilienceModule.forRoot({ eventSinks: [{ emit: () => undefined }] })],
  providers: [Client],
})
class AppModule {}

interface Scene {
  readonly client: Client;
  readonly executor: ResilienceExecutor;
}
type Ways = Readonly<Record<string, (scene: Scene) => unknown>>;

const signals: AbortSignal[] = [];
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const RESULTS: Ways = {
  'run()': ({ client, executor }) => executor.run(client, 'gives'),
  'run() of an Observable': ({ client, executor }) => executor.run(client, 'emits'),
  'run() with a key': ({ client, executor }) => executor.run(client, 'givesOnce', 'id'),
  'resultOf() a promise': ({ client }) => resultOf(client.gives()),
  'resultOf() a function': ({ client }) => resultOf(() => client.gives()),
  'resultOf() an Observable': ({ client }) => firstValueFrom(resultOf(client.emits())),
  'resultOf() a function that gives an Observable': ({ client }) =>
    firstValueFrom(resultOf(() => client.emits())),
  'resultOf() an Observable with a key': ({ client }) => firstValueFrom(resultOf(client.emitsOnce('id'))),
  'resultOf() a promise with a key': ({ client }) => resultOf(client.givesOnce('id')),
  'resultOf() who joined': async ({ client }) => {
    const [, joined] = await Promise.all([
      resultOf(client.givesOnce('id')),
      resultOf(client.givesOnce('id')),
    ]);
    return joined;
  },
  'resultOf() who came later': async ({ client }) => {
    await client.givesOnce('id');
    return resultOf(client.givesOnce('id'));
  },
  'a store that lives on, and resultOf() who came later': async ({ client }) => {
    await client.givesOnceForAll('id');
    return resultOf(client.givesOnceForAll('id'));
  },
};

const ERRORS: Ways = {
  'run()': ({ client, executor }) => errorOf(executor.run(client, 'fails')),
  'run() of an Observable': ({ client, executor }) => errorOf(executor.run(client, 'breaks', DOWN)),
  'run() with a key': ({ client, executor }) => errorOf(executor.run(client, 'failsOnce', 'id')),
  'resultOf() a promise': ({ client }) => errorOf(resultOf(client.fails())),
  'resultOf() a function': ({ client }) => errorOf(resultOf(() => client.fails())),
  'resultOf() an Observable': ({ client }) => errorOf(firstValueFrom(resultOf(client.breaks(DOWN)))),
  'resultOf() a function that gives an Observable': ({ client }) =>
    errorOf(firstValueFrom(resultOf(() => client.breaks(DOWN)))),
  'resultOf() a promise with a key': ({ client }) => errorOf(resultOf(client.failsOnce('id'))),
};

const OTHERS: Ways = {
  'the promise of a call': ({ client }) => [client.gives()],
  'a subscription that succeeded': ({ client }) => client.emits().subscribe(),
  'a subscription that failed': ({ client }) => errorOf(firstValueFrom(client.breaks(LOST))),
  'the error of an Observable that gave two values': ({ client }) => {
    const failure = errorOf(firstValueFrom(resultOf(client.follows(twice))));
    for (const value of ['one', 'two']) twice.next(value);
    return failure;
  },
  'a subscription that was unsubscribed from': ({ client }) => {
    const subscription = client.follows(endless).subscribe();
    subscription.unsubscribe();
    return [subscription, signals.at(-1)?.reason];
  },
};

type Parts = Readonly<Record<string, WeakRef<object>>>;

/** Everything of the application stays inside here, but for the references that hold nothing. */
async function live(way: Ways[string]): Promise<{ readonly kept: unknown; readonly parts: Parts }> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
  const client = app.get(Client);
  const executor = app.get(ResilienceExecutor);
  const kept = await way({ client, executor });
  const parts = { application: app, client, executor, host: app.get(NestHost) };
  await app.close();
  return {
    kept,
    parts: Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, new WeakRef(part)])),
  };
}

async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    await new Promise((resolve) => void setTimeout(resolve, 10));
    globalThis.gc?.();
  }
}

const kept: unknown[] = [];
const watched = new Map<string, Parts>();
for (const [kind, ways] of Object.entries({ 'the result of': RESULTS, 'the error of': ERRORS, '': OTHERS }))
  for (const [name, way] of Object.entries(ways)) {
    const lived = await live(way);
    kept.push(lived.kept);
    watched.set(`${kind} ${name}`.trim(), lived.parts);
  }
await collectGarbage();
for (const [name, parts] of watched) {
  const held = Object.keys(parts).filter((part) => parts[part]?.deref() !== undefined);
  if (held.length > 0) console.log(`${name} keeps alive: ${held.join(', ')}`);
}
const results = kept.filter((outcome) => outcome instanceof OperationResult);
const errors = kept.filter((outcome) => outcome instanceof OperationExecutionError);
console.log(
  `${results.length} results, ${errors.length} errors and ${kept.length - results.length - errors.length} others kept`,
);
process.exit();
