import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { CircuitBreaker, CircuitBreakerRegistry, currentAttempt, Resilient } from '../../lib/index.js';
import { InjectCircuitBreaker, ResilienceExecutor } from '../../nest-module/index.js';
import { messageOf } from './configuration-support.js';
import { start } from './support.js';

describe('a breaker for each key, in an application', () => {
  @Injectable()
  class HostClient {
    constructor(@InjectCircuitBreaker('db') readonly breaker: CircuitBreaker) {}

    @Resilient({ circuitBreaker: { name: 'db', key: (host: string) => host } })
    async call(host: string): Promise<string> {
      currentAttempt().spend(1);
      if (host === 'down') throw new Error('down');
      return host;
    }
  }

  it('belongs to the breaker of the application, with its settings and its watchers', async () => {
    const circuitBreakers = [{ name: 'db', failureThreshold: 2, budget: { limit: 9, per: '1h' } } as const];
    const app = await start({ providers: [HostClient] }, { circuitBreakers });
    const { breaker } = app.get(HostClient);
    const told: string[] = [];
    app.get(CircuitBreakerRegistry).onTransition(({ breakerName, to }) => told.push(`${breakerName} ${to}`));
    const client = app.get(HostClient);
    for (let call = 0; call < 2; call += 1) await expect(client.call('down')).rejects.toThrow('down');
    await expect(client.call('down')).rejects.toMatchObject({
      breakerName: 'db:down',
      reason: 'consecutive_failures',
    });
    expect(await client.call('up')).toBe('up');
    expect(told).toEqual(['db:down open']);
    expect(breaker.keyedBreakers().map(({ name, state }) => [name, state])).toEqual([
      ['db:down', 'open'],
      ['db:up', 'closed'],
    ]);
    expect(breaker.keyed('up').snapshot().budget).toEqual({ spent: 1, limit: 9, perSeconds: 3_600 });
    expect(breaker.snapshot().budget?.spent).toBe(0);
    expect(app.get(ResilienceExecutor).descriptionOf('HostClient.call').summary).toBe(
      "HostClient.call: circuit breaker 'db' by key > method",
    );
  });

  it('ends the call where its key is blank', async () => {
    const app = await start({ providers: [HostClient] }, { circuitBreakers: [{ name: 'db' }] });
    const error = await app
      .get(HostClient)
      .call(' ')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ConfigurationError', option: 'key' });
  });

  it('keeps the application from starting where nobody registered its name', async () => {
    @Injectable()
    class Lost {
      @Resilient({ circuitBreaker: { name: 'dbs', key: (host: string) => host } })
      async call(_host: string): Promise<void> {}
    }
    expect(await messageOf(start({ providers: [Lost] }, { circuitBreakers: [{ name: 'db' }] }))).toContain(
      "Lost.call: circuitBreaker 'dbs' is not registered; did you mean 'db'?",
    );
  });

  it('keeps it from starting where its lease is shorter than the timeout, as without a key', async () => {
    @Injectable()
    class Slow {
      @Resilient({ timeout: 3, circuitBreaker: { name: 'db', key: (host: string) => host } })
      async keyed(_host: string): Promise<void> {}
    }
    @Injectable()
    class SlowAlone {
      @Resilient({ timeout: 3, circuitBreaker: 'db' })
      async named(): Promise<void> {}
    }
    const circuitBreakers = [{ name: 'db', probes: { lease: '2s' } }];
    for (const [provider, method] of [
      [Slow, 'Slow.keyed'],
      [SlowAlone, 'SlowAlone.named'],
    ] as const)
      expect(await messageOf(start({ providers: [provider] }, { circuitBreakers }))).toContain(
        `${method}: circuitBreaker has probes with a lease of 2 s, shorter than the timeout of 3 s; ` +
          'give the lease at least the timeout, or leave it out',
      );
  });
});
