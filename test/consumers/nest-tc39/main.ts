// Classes with standard decorators in a NestJS application: Nest has none for methods and parameters, @Resilient has.
import 'reflect-metadata';
import { Injectable, Module, Scope } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Resilient, resultOf } from 'relprim';
import { ResilienceExecutor, ResilienceModule } from 'relprim/nestjs';

@Injectable()
class Client {
  private tries = 0;

  @Resilient({ retries: 1, circuitBreaker: 'payments', fallback: 'later' })
  async charge(): Promise<string> {
    this.tries += 1;
    throw new Error('down');
  }

  async later(): Promise<string> {
    return `later, after ${this.tries} tries`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestClient extends Client {}

@Module({
  imports: [
    ResilienceModule.forRoot({
      circuitBreakers: [{ name: 'payments', failureThreshold: 9 }],
      silenceWarnings: ['retries-without-retry-on'], // told in test/nest; here the output is compared
    }),
  ],
  providers: [Client, RequestClient, { provide: 'made', useFactory: () => new Client() }],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  const seen: string[] = [];
  app.get(ResilienceExecutor).observe(({ operationName }) => seen.push(operationName));
  const clients = [
    app.get(Client),
    app.get<Client>('made'),
    await app.resolve(RequestClient),
    await app.resolve(RequestClient),
  ];
  for (const client of clients) {
    const { value, report } = await resultOf(client.charge());
    console.log(
      `${report.operationName}: ${value}; seen by the application: ${seen.splice(0).join() || 'no'}`,
    );
  }
  console.log(app.get(ResilienceExecutor).operationNames().join(', '));
  await app.close();
}

void main();
