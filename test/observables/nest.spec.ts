import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  Param,
  Scope,
  Sse,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type MessageEvent,
  type NestInterceptor,
} from '@nestjs/common';
import { EMPTY, firstValueFrom, map, Observable, of, throwError } from 'rxjs';
import {
  CircuitBreaker,
  OperationExecutionError,
  Resilient,
  resultOf,
  type ExecutionReport,
  type OperationResult,
} from '../../lib/index.js';
import { RESILIENCE_CLOCK, ResilienceExecutor } from '../../nest-module/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { calls, serve, start, watch } from '../nest/support.js';
import { everySeconds } from '../operation/support.js';

const noWait = everySeconds(0);
const down = new RangeError('down');

/** Fails every other time. */
function flaky<T>(value: T): () => Observable<T> {
  let asked = 0;
  return () => ((asked += 1) % 2 === 1 ? throwError(() => down) : of(value));
}

describe('an Observable method over HTTP', () => {
  let guarded = 0;

  @Injectable()
  class Guard implements CanActivate {
    private readonly answer = flaky(true);
    @Resilient({ retries: 1, backoff: noWait })
    canActivate(): Observable<boolean> {
      guarded += 1;
      return this.answer();
    }
  }

  @Injectable()
  class Again implements NestInterceptor {
    @Resilient({ retries: 1, backoff: noWait })
    intercept(_context: ExecutionContext, next: CallHandler<string>): Observable<string> {
      return next.handle().pipe(map((text) => `${text}!`));
    }
  }

  @Controller('users')
  class Users {
    private readonly answer = flaky('handler');
    private readonly behind = flaky('behind');
    @Get('handler/:id')
    @Resilient({ retries: 1, backoff: noWait })
    handler(@Param('id') id: string): Observable<string> {
      return this.answer().pipe(map((text) => `${text} ${id}`));
    }
    @Resilient({ timeout: '1m' })
    @Get('piped')
    @UseInterceptors(Again)
    piped(): Observable<string> {
      return this.behind();
    }
    @Get('guarded')
    @UseGuards(Guard)
    guarded(): string {
      return 'let in';
    }
    @Sse('events')
    @Resilient()
    events(): Observable<MessageEvent> {
      return of({ data: 'one' }, { data: 'two' });
    }
  }

  it('answers as a handler, an interceptor around one, and a guard', async () => {
    const { app, ask } = await serve({ controllers: [Users], providers: [Guard, Again] });
    watch(app);
    expect(await ask('/users/handler/7')).toEqual({ status: 200, text: 'handler 7' });
    expect(calls()).toEqual(['APP Users.handler']);
    expect(await ask('/users/piped')).toEqual({ status: 200, text: 'behind!' });
    expect(calls()).toEqual(['APP Users.piped', 'APP Users.piped', 'APP Again.intercept']);
    guarded = 0;
    expect(await ask('/users/guarded')).toEqual({ status: 200, text: 'let in' });
    expect([guarded, calls()]).toEqual([2, ['APP Guard.canActivate']]);
  });

  it('is no stream of events: the second one is refused, and none is sent', async () => {
    const { app, ask } = await serve({ controllers: [Users], providers: [Guard, Again] });
    const reports: ExecutionReport[] = [];
    app.get(ResilienceExecutor).observe((report) => reports.push(report));
    const { text } = await ask('/users/events');
    expect(text).not.toContain('one');
    expect(reports.map(({ lastError }) => lastError?.type)).toEqual(['MisuseError']);
  });
});

@Injectable()
class Client {
  calls = 0;
  @Resilient({ retries: 1, backoff: noWait, circuitBreaker: 'users' })
  get(id: number): Observable<string> {
    this.calls += 1;
    return this.calls % 2 === 1 ? throwError(() => down) : of(`user ${id}`);
  }
  @Resilient()
  none(): Observable<string> {
    return EMPTY;
  }
  @Resilient()
  fail(): Observable<string> {
    return throwError(() => down);
  }
  plain(): Observable<string> {
    return of('plain');
  }
}
const options = { circuitBreakers: [{ name: 'users', failureThreshold: 2 }] };

describe('an Observable method of a provider', () => {
  it('runs in its application, whose observers get one report for each subscription', async () => {
    const app = watch(await start({ providers: [Client] }, options));
    const observable = app.get(Client).get(1);
    expect([await firstValueFrom(observable), await firstValueFrom(observable)]).toEqual([
      'user 1',
      'user 1',
    ]);
    expect(calls()).toEqual(['APP Client.get', 'APP Client.get']);
    expect(app.get<CircuitBreaker>('relprim/circuit-breaker:users').snapshot().state).toBe('closed');
  });

  it('finds its application at the subscription, also of an instance that a factory made', async () => {
    const made = new Client();
    const before = made.get(1);
    const app = watch(await start({ providers: [{ provide: Client, useFactory: () => made }] }, options));
    await firstValueFrom(before);
    expect(calls()).toEqual(['APP Client.get']);
    await app.close();
  });

  it('runs in its application when it is request-scoped', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      @Resilient({ timeout: '1s' })
      get(): Observable<number> {
        return of(1);
      }
    }
    const app = watch(await start({ providers: [PerRequest] }));
    const [one, other] = [await app.resolve(PerRequest), await app.resolve(PerRequest)];
    expect(one).not.toBe(other);
    await firstValueFrom(one.get());
    await firstValueFrom(other.get());
    expect(calls()).toEqual(['APP PerRequest.get', 'APP PerRequest.get']);
  });

  it('goes by the clock of its application', async () => {
    @Injectable()
    class Slow {
      @Resilient({ timeout: '10s' })
      get(): Observable<number> {
        return new Observable();
      }
    }
    const clock = new FakeClock();
    const app = await start({ providers: [Slow] }, {}, (builder) =>
      builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    await expect(clock.settle(firstValueFrom(app.get(Slow).get()))).rejects.toThrow(
      'within its timeout of 10 s',
    );
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([10_000, 0]);
  });
});

describe('executor.run() of an Observable method', () => {
  it('subscribes once and gives a promise of the result', async () => {
    const app = await start({ providers: [Client] }, options);
    const client = app.get(Client);
    const asked: Promise<OperationResult<string>> = app.get(ResilienceExecutor).run(client, 'get', 5);
    const { value, report } = await asked;
    expect([value, report.operationName, report.attempts.length, client.calls]).toEqual([
      'user 5',
      'Client.get',
      2,
      2,
    ]);
  });

  it('gives a result without a value for a source without one', async () => {
    const app = await start({ providers: [Client] }, options);
    const { value, report } = await app.get(ResilienceExecutor).run(app.get(Client), 'none');
    expect([value, report.status]).toEqual([undefined, 'succeeded']);
  });

  it('rejects with the report when it fails, and refuses what is not decorated', async () => {
    const app = await start({ providers: [Client] }, options);
    const executor = app.get(ResilienceExecutor);
    const reports: ExecutionReport[] = [];
    executor.observe((report) => reports.push(report));
    const failure: unknown = await executor.run(app.get(Client), 'fail').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperationExecutionError);
    expect((failure as OperationExecutionError).report).toBe(reports[0]);
    await expect(executor.run(app.get(Client), 'plain')).rejects.toThrow('Client.plain started no operation');
  });
});

describe('resultOf() in an application', () => {
  it('gives an Observable, typed as one', async () => {
    const app = await start({ providers: [Client] }, options);
    const results: Observable<OperationResult<string>> = resultOf(app.get(Client).get(2));
    expect(await firstValueFrom(results.pipe(map(({ value }) => value)))).toBe('user 2');
  });
});
