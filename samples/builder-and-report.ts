// An operation built from policy objects, without a class. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/builder-and-report.js
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  ExponentialBackoff,
  fallbackChain,
  InMemoryEventSink,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
} from 'relprim';

interface Rate {
  readonly perEuro: number;
}

// The first answer is no use, and then there is none.
const answers: Rate[] = [{ perEuro: -1 }];

async function askBank(_currency: string): Promise<Rate> {
  const answer = answers.shift();
  if (answer === undefined) throw new Error('the bank is closed');
  return answer;
}

async function askNewspaper(_currency: string): Promise<Rate> {
  throw new Error('no paper on Sundays');
}

async function yesterday(_currency: string): Promise<Rate> {
  return { perEuro: 11.3 };
}

const sink = new InMemoryEventSink();

const rate = asyncOperation('rate', askBank)
  .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: new ExponentialBackoff({ baseDelay: '10ms' }) }))
  .withTimeout(new TimeoutPolicy('2s'))
  .withCircuitBreaker(new CircuitBreaker({ name: 'bank', failureThreshold: 5, recoveryTimeout: '30s' }))
  .withFallbacks(fallbackChain(['newspaper', askNewspaper], ['yesterday', yesterday]))
  .withValidation(
    validationPolicy(validator('positive', (r: Rate) => r.perEuro > 0, { message: 'must be above 0' })),
  )
  .withEvents(new EventEmitter({ sinks: [sink] }));

console.log(rate.describe());

const { value, report } = await rate.run('NOK');
console.log(value);
console.log(JSON.stringify(report, null, 2));
for (const event of sink.events()) console.log(event.eventType, event.payload);
