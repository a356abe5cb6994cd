// `relprim/nestjs/testing` under a test runner: written without decorators, as no runner compiles anything here.
exports.story = async function story({ Test, relprim, testing }) {
  class PaymentsClient {
    async charge() {
      return 'real';
    }
  }
  const decorate = relprim.Resilient({ retries: 2, timeout: '5s', circuitBreaker: 'payments' });
  const descriptor = Object.getOwnPropertyDescriptor(PaymentsClient.prototype, 'charge');
  const decorated = decorate(PaymentsClient.prototype, 'charge', descriptor) ?? descriptor;
  Object.defineProperty(PaymentsClient.prototype, 'charge', decorated);

  const { ResilienceTesting, ResilienceTestingModule, fail, hang, succeed, callThrough } = testing;
  const options = { circuitBreakers: [{ name: 'payments', failureThreshold: 2 }], seed: 3 };
  const imports = [ResilienceTestingModule.forRoot(options)];
  const module = await Test.createTestingModule({ imports, providers: [PaymentsClient] }).compile();
  const app = await module.init();
  const resilience = app.get(ResilienceTesting);
  const payments = app.get(PaymentsClient);
  resilience.script(
    'PaymentsClient.charge',
    fail(new Error('down')),
    hang(),
    succeed('scripted'),
    callThrough(),
  );
  const first = await resilience.settle(payments.charge()).catch((error) => error.code);
  await resilience.advance('30s');
  const answers = [first, await payments.charge(), await payments.charge()];
  resilience.verifyScripts();
  await app.close();
  return {
    answers,
    calls: resilience.reports('PaymentsClient.charge').length,
    timers: resilience.clock.pendingTimers,
  };
};

exports.expectedStory = {
  answers: ['RELPRIM_CIRCUIT_BREAKER_OPEN', 'scripted', 'real'],
  calls: 3,
  timers: 0,
};
