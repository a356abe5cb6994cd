// One decorator, and the account of every call. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/one-decorator.js
import { ExponentialBackoff, nonRetryable, reportOf, Resilient, resultOf } from 'relprim';

class Weather {
  private calls = 0;

  @Resilient({ retries: 2, timeout: '1s', backoff: new ExponentialBackoff({ baseDelay: '20ms' }) })
  async today(city: string): Promise<string> {
    this.calls += 1;
    if (city === 'Atlantis') throw nonRetryable(new RangeError('no such city'));
    if (this.calls === 1) throw new Error('the station does not answer');
    return `sunny in ${city}`;
  }
}

const weather = new Weather();

// The method gives what it always gave. The account is one call away.
const { value, report } = await resultOf(weather.today('Oslo'));
console.log(value);
console.log(report.explain());

// So is the account of a failure; the error is the method's own.
try {
  await weather.today('Atlantis');
} catch (error) {
  console.log(String(error));
  console.log(reportOf(error)?.explain());
}
