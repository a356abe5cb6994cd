// A NestJS application with one resilient client. Compiled for Nest 11 as CommonJS and for Nest 12 as ES module.
import 'reflect-metadata';
import { Controller, Get, Inject, Injectable, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CircuitBreaker, Resilient } from 'relprim';
import { InjectCircuitBreaker, ResilienceExecutor, ResilienceModule } from 'relprim/nestjs';
import { ResilienceDashboardModule } from 'relprim/nestjs/dashboard';
import { firstValueFrom } from 'rxjs';

@Injectable()
class PaymentsClient {
  private charges = 0;

  @Resilient({ retries: 2, circuitBreaker: 'payments', fallback: 'later' })
  async charge(_order: string): Promise<string> {
    this.charges += 1;
    throw new Error('down');
  }

  async later(order: string): Promise<string> {
    return `${order} queued after ${this.charges} charges`;
  }
}

@Controller()
class PaymentsController {
  constructor(
    @Inject(PaymentsClient) private readonly payments: PaymentsClient,
    @InjectCircuitBreaker('payments') private readonly breaker: CircuitBreaker,
  ) {}

  @Get('charge/:order')
  async charge(@Param('order') order: string): Promise<string> {
    const answer = await this.payments.charge(order);
    return `${answer}, breaker ${this.breaker.snapshot().state}`;
  }
}

@Module({
  imports: [
    ResilienceModule.forRoot({
      circuitBreakers: [{ name: 'payments', failureThreshold: 3, recoveryTimeout: 30 }],
    }),
    ResilienceDashboardModule.forRoot({ path: '/resilience', guard: { canActivate: () => true } }),
  ],
  controllers: [PaymentsController],
  providers: [PaymentsClient],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const response = await fetch(`${await app.getUrl()}/charge/o-1`);
  console.log(response.status, await response.text());

  const executor = app.get(ResilienceExecutor);
  const streamed = firstValueFrom(executor.reports$);
  const { value, report } = await executor.run(app.get(PaymentsClient), 'charge', 'o-2');
  console.log(`${value}: ${report.operationName}, ${report.attempts.map(({ status }) => status).join(', ')}`);
  console.log(`streamed: ${(await streamed).callId === report.callId}`);

  const page = await fetch(`${await app.getUrl()}/resilience`);
  console.log(`dashboard: ${page.status}, ${/<title>(.*)<\/title>/.exec(await page.text())?.[1]}`);
  await app.close();
}

void main();
