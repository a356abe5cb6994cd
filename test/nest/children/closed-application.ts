// Uses an application in every way, closes it, and says what of it is still reachable. The decorated classes live on.
import 'reflect-metadata';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Scope,
  UseGuards,
  type CanActivate,
  type INestApplication,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  CircuitBreaker,
  currentAttempt,
  InMemoryEventSink,
  Resilient,
  ResilienceShutdownError,
  Shield,
  Shielded,
  type ExecutionReport,
} from '../../../lib/index.js';
import {
  getCircuitBreakerToken,
  getConcurrencyLimitToken,
  getShieldToken,
  InjectCircuitBreaker,
  InjectShield,
  RESILIENCE_EVENTS,
  ResilienceExecutor,
  ResilienceLogger,
  ResilienceModule,
  ResilienceState,
} from '../../../nest-module/index.js';
import { NestHost } from '../../../nest-module/nest-host.js';

/** What outlives every application: an error, a breaker, a shield and a signal that modules share. */
const DOWN = new Error('down');
const shared = new CircuitBreaker({ name: 'shared' });
const sharedShield = Shield.api('shared', { env: false });
/** Protected by the shield of an application. */
const protectedFunction = async function protectedFunction(): Promise<void> {};
const { signal } = new AbortController();
const reports: ExecutionReport[] = [];

const hour = { delayForRetry: () => 3_600 };

@Injectable()
class Client {
  constructor(
    @InjectCircuitBreaker('payments') readonly breaker: CircuitBreaker,
    @InjectShield('github') readonly shield: Shield,
  ) {}

  @Shielded('github', { concurrencyLimit: 'db' })
  async shielded(): Promise<number> {
    return 1;
  }

  @Shielded(sharedShield)
  async sharedShielded(): Promise<void> {
    throw DOWN;
  }

  @Resilient({ retries: 1, timeout: '1h', deadline: '2h', circuitBreaker: 'payments', signal: () => signal })
  async charge(): Promise<number> {
    currentAttempt().signal.addEventListener('abort', () => undefined);
    return 1;
  }

  @Resilient({ retries: 1, backoff: hour, timeout: '1h' })
  async waits(): Promise<void> {
    throw DOWN;
  }

  @Resilient({ timeout: '30ms', fallback: async () => undefined })
  async hangs(): Promise<void> {
    return new Promise(() => undefined);
  }

  @Resilient()
  async hangsForEver(): Promise<void> {
    return new Promise(() => undefined);
  }

  @Resilient({ circuitBreaker: shared })
  async fails(): Promise<void> {
    throw DOWN;
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  constructor(@Inject(Client) private readonly client: Client) {}

  @Resilient({ timeout: '1h' })
  async charge(): Promise<number> {
    return this.client.charge();
  }
}

@Injectable()
class Guard implements CanActivate {
  @Resilient({ timeout: '1h' })
  async canActivate(): Promise<boolean> {
    return true;
  }
}

@Controller()
@UseGuards(Guard)
class OrdersController {
  constructor(@Inject(PerRequest) private readonly perRequest: PerRequest) {}

  @Get()
  @Resilient({ timeout: '1h' })
  async place(): Promise<number> {
    return this.perRequest.charge();
  }
}

@Injectable()
class DecoratedSink extends InMemoryEventSink {
  @Resilient({ timeout: '1h' })
  async flush(): Promise<void> {}
}

@Module({
  imports: [
    ResilienceModule.forRoot({
      circuitBreakers: [{ name: 'payments' }, shared],
      shields: [{ name: 'github' }, sharedShield],
      concurrencyLimits: [{ name: 'db', maxConcurrent: 5 }],
      eventSinks: [DecoratedSink, InMemoryEventSink, ResilienceLogger],
      exceptionFilter: true,
      silenceWarnings: ['retries-without-retry-on'],
    }),
    ResilienceModule.forFeature({ circuitBreakers: [{ name: 'stock' }] }),
  ],
  controllers: [OrdersController],
  providers: [Client, PerRequest, Guard],
})
class AppModule {}

const PARTS = {
  client: Client,
  executor: ResilienceExecutor,
  host: NestHost,
  state: ResilienceState,
  events: RESILIENCE_EVENTS,
  sink: DecoratedSink,
  'other sink': InMemoryEventSink,
  'named breaker': getCircuitBreakerToken('payments'),
  'named shield': getShieldToken('github'),
  'named limit': getConcurrencyLimitToken('db'),
  'breaker of a feature': getCircuitBreakerToken('stock'),
  module: AppModule,
} as const;

type Watched = ReadonlyMap<string, WeakRef<object>>;

/** Gives what is still open when the application closes: a call that hangs, and one that waits. */
async function use(app: INestApplication): Promise<{ readonly open: Promise<unknown> }> {
  const client = app.get(Client);
  const perRequest = await app.resolve(PerRequest);
  app.get(ResilienceExecutor).observe((report) => reports.push(report));
  app.get(ResilienceState).forceOpen('stock', 'a test');
  app.get(ResilienceState).reset('shared', 'a test');
  const response = await fetch(await app.getUrl(), { headers: { connection: 'close' } });
  await response.text();
  await client.charge();
  await client.shielded();
  await client.sharedShielded().catch(() => undefined);
  await client.shield.protect(protectedFunction)();
  await perRequest.charge();
  await client.fails().catch(() => undefined);
  void client.hangsForEver();
  const timedOut = client.hangs();
  const waited = client.waits().catch((error: unknown) => {
    if (!(error instanceof ResilienceShutdownError)) throw error;
  });
  return { open: Promise.all([timedOut, waited]) };
}

/** Everything of the application stays inside here, but for the references that hold nothing. */
async function live(): Promise<Watched> {
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  const parts = Object.entries(PARTS).map(
    ([name, token]) => [name, new WeakRef(app.get<object>(token as symbol))] as const,
  );
  const { open } = await use(app);
  await app.close();
  await open;
  return new Map([['application', new WeakRef(app)], ...parts]);
}

async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    await new Promise((resolve) => void setTimeout(resolve, 10));
    globalThis.gc?.();
  }
}

const watched = await live();
await collectGarbage();
for (const [name, ref] of watched) if (ref.deref() !== undefined) console.log(`${name} is still reachable`);
console.log(`${watched.size} parts of ${reports.length} calls looked at`);
process.exit();
