// A user without a framework and without reflect-metadata. Compiled as ES module and as CommonJS.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CircuitBreaker, Resilient, resilient } from 'relprim';
import { RedisIdempotencyStore } from 'relprim/redis';

let calls = 0;
const refused = (make: () => unknown): string => {
  try {
    return String(make());
  } catch (error) {
    return (error as Error).message;
  }
};

let greetings = 0;
const greet = resilient({ name: 'greet', retries: 1, timeout: 1 }, async (name: string) => {
  greetings += 1;
  if (greetings === 1) throw new Error('not yet');
  return `hello ${name}`;
});

class Weather {
  private tries = 0;

  @Resilient({ retries: 1, timeout: 1, fallback: 'unknown' })
  async today(_city: string): Promise<string> {
    this.tries += 1;
    throw new Error('down');
  }

  async unknown(city: string): Promise<string> {
    return `no word from ${city} after ${this.tries} tries`;
  }
}

async function main(): Promise<void> {
  const { value, report } = await greet('world');
  console.log(`${value}: ${report.status}, ${report.attemptCount} attempts`);
  console.log(await new Weather().today('Oslo'));

  const required = createRequire(join(process.cwd(), 'main.js'))('relprim') as typeof import('relprim');
  const imported = await import('relprim');
  const copies = new Set([CircuitBreaker, required.CircuitBreaker, imported.CircuitBreaker]);
  console.log(`copies of the package: ${copies.size}`);
  const once = resilient(
    { name: 'once', idempotencyKey: (id: string) => id },
    async (id: string) => `${id} ${++calls}`,
  );
  const twice = await Promise.all([once('o-1'), once('o-1')]);
  console.log(twice.map(({ value, report }) => `${value} ${report.metadata.idempotency_status}`).join(', '));
  console.log(refused(() => new RedisIdempotencyStore({ client: {} as never })));
  console.log(`reflect-metadata loaded: ${'getMetadata' in Reflect}`);
}

void main();
