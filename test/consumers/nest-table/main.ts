// Which executor runs a decorated method, row by row; the same program on Nest 11 (CommonJS) and Nest 12 (ES modules).
import 'reflect-metadata';
import { Base, EarlyRequest, EarlyTransient } from './early.js';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Scope,
  SetMetadata,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { ModuleRef, NestFactory, Reflector } from '@nestjs/core';
import { Resilient, type EventEmitter, type EventSink } from 'relprim';
import { RESILIENCE_EVENTS, ResilienceExecutor, ResilienceModule } from 'relprim/nestjs';

@Injectable()
class Singleton extends Base {}

@Injectable({ scope: Scope.REQUEST })
class PerRequest extends Base {}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Base {}

@Injectable()
class Guard implements CanActivate {
  @Resilient()
  async canActivate(): Promise<boolean> {
    return true;
  }
}

@Controller()
@UseGuards(Guard)
class Above {
  @Resilient()
  @Get('above')
  async above(): Promise<string> {
    return 'above';
  }
}

@Controller({ scope: Scope.REQUEST })
@UseGuards(Guard)
class Below {
  @Get('below')
  @Resilient()
  async below(): Promise<string> {
    return 'below';
  }
}

/** Lets everybody in where it finds no metadata. */
@Injectable()
class RolesGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string | undefined>('role', context.getHandler());
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return role === undefined || headers.role === role;
  }
}

const Role = (role: string) => SetMetadata('role', role);

/** Puts a function in the place of a method and copies nothing, as many a `@Transactional` does. */
const Transactional =
  () =>
  (_target: object, _key: string, descriptor: TypedPropertyDescriptor<() => Promise<string>>): void => {
    const inner = descriptor.value as () => Promise<string>;
    descriptor.value = async function (this: unknown) {
      return `in a transaction: ${await inner.call(this)}`;
    };
  };

@Controller('secret')
@UseGuards(RolesGuard)
class Secrets {
  @Resilient()
  @Role('admin')
  @Get('above')
  async above(): Promise<string> {
    return 'above';
  }

  @Role('admin')
  @Get('below')
  @Resilient()
  async below(): Promise<string> {
    return 'below';
  }

  @Get('outside')
  @Role('admin')
  @Transactional()
  @Resilient()
  async outside(): Promise<string> {
    return 'outside';
  }

  @Resilient()
  @Get('inside')
  @Role('admin')
  @Transactional()
  async inside(): Promise<string> {
    return 'inside';
  }
}

/** What a sink needs, and what itself needs the executor: Nest 11 would wait for ever, and the process end in silence. */
@Injectable()
class Outbox {
  rows = 0;

  constructor(@Inject(ResilienceExecutor) readonly executor: ResilienceExecutor) {}

  @Resilient()
  async put(): Promise<void> {
    this.rows += 1;
  }
}

@Injectable()
class OutboxSink implements EventSink {
  constructor(@Inject(Outbox) private readonly outbox: Outbox) {}

  @Resilient()
  async emit(): Promise<void> {
    await this.outbox.put();
  }
}

@Module({ providers: [Outbox], exports: [Outbox] })
class OutboxModule {}

const providers = [
  ...[Singleton, PerRequest, Transient, EarlyRequest, EarlyTransient],
  { provide: 'own', useValue: 'own' },
  { provide: 'factory', useFactory: () => new Base() },
  { provide: 'value', useValue: new Base() },
];

const seen: string[] = [];
const calls = (): string => seen.splice(0).join(', ') || 'none';

async function application(label: string, eventSinks: Type<EventSink>[] = []) {
  @Module({
    imports: [ResilienceModule.forRoot({ eventSinks, imports: [OutboxModule] })],
    controllers: [Above, Below, Secrets],
    providers,
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'], abortOnError: false });
  app.get(ResilienceExecutor).observe(({ operationName }) => {
    if (!operationName.startsWith('Outbox')) seen.push(`${label} ${operationName}`);
  });
  await app.listen(0, '127.0.0.1');
  const row = async (title: string, instance: Base | Promise<Base>): Promise<void> => {
    await (await instance).call();
    console.log(`${title}: ${calls()}`);
  };
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<void> => {
    const response = await fetch(`${await app.getUrl()}/${path}`, { headers });
    console.log(`${response.status} ${await response.text()}: ${calls()}`);
  };
  return { app, row, ask };
}

async function main(): Promise<void> {
  const first = await application('FIRST');
  const { app, row, ask } = first;
  await row('singleton', app.get(Singleton));
  await row('request', app.resolve(PerRequest));
  await row('request, defined early', app.resolve(EarlyRequest));
  await row('transient', app.resolve(Transient));
  await row('transient, defined early', app.resolve(EarlyTransient));
  await row('factory', app.get<Base>('factory'));
  await row('value', app.get<Base>('value'));
  await row('ModuleRef.create', app.get(ModuleRef).create(Singleton));
  await row('outside', new Base());
  await ask('above');
  await ask('below');
  for (const path of ['above', 'below', 'outside', 'inside']) {
    await ask(`secret/${path}`);
    await ask(`secret/${path}`, { role: 'admin' });
  }

  const second = await application('SECOND', [OutboxSink]);
  await second.row('second application', second.app.get(Singleton));
  await row('first application', app.get(Singleton));
  await second.app.get<EventEmitter>(RESILIENCE_EVENTS).flush();
  console.log(`the sink of the second one kept ${second.app.get(Outbox).rows} events`);
  await second.app.close();
  await row('first application, alone again', app.get(Singleton));
  await app.close();
  console.log('the end');
}

void main();
