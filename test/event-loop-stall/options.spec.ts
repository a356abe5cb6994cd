import { describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { CircuitBreakerConfiguration } from '../../lib/adapters/class-validator.js';
import { CircuitBreaker, ConfigurationError, httpCircuitBreaker } from '../../lib/index.js';
import { thrown } from '../operation/support.js';

describe('ignoreLocalStalls', () => {
  it('is off unless it is given', () => {
    expect(new CircuitBreaker().ignoresLocalStalls).toBe(false);
    expect(new CircuitBreaker({ ignoreLocalStalls: undefined }).ignoresLocalStalls).toBe(false);
    expect(new CircuitBreaker({ ignoreLocalStalls: true }).ignoresLocalStalls).toBe(true);
    expect(new CircuitBreaker(httpCircuitBreaker('shop')).ignoresLocalStalls).toBe(false);
    const options = httpCircuitBreaker('shop', { ignoreLocalStalls: true });
    expect(new CircuitBreaker(options).ignoresLocalStalls).toBe(true);
  });

  it.each(['true', 1, null, {}, '20ms'])('is not %p', (ignoreLocalStalls) => {
    const options = { name: 'shop', ignoreLocalStalls } as never;
    const error = thrown(() => new CircuitBreaker(options)) as ConfigurationError;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'ignoreLocalStalls', cure: 'give true or false' });
    expect(error.message).toMatch(/^ignoreLocalStalls of circuit breaker 'shop' is /);
  });

  it('stands in the description of a breaker, and of those of its keys', () => {
    const breaker = new CircuitBreaker({ ignoreLocalStalls: true });
    const description = 'failureThreshold 5, recoveryTimeout 30 s, ignoreLocalStalls';
    expect(breaker.describe()).toBe(description);
    expect(breaker.keyed('acme').describe()).toBe(description);
    expect(breaker.keyed('acme').ignoresLocalStalls).toBe(true);
    expect(new CircuitBreaker().describe()).toBe('failureThreshold 5, recoveryTimeout 30 s');
  });

  it('stays with a breaker across a restart, where it is given again', () => {
    const saved = new CircuitBreaker({ name: 'shop', ignoreLocalStalls: true }).toJSON();
    expect(CircuitBreaker.restore(saved, { ignoreLocalStalls: true }).ignoresLocalStalls).toBe(true);
  });

  it('may be text in a configuration class', () => {
    const complaints = (ignoreLocalStalls: unknown) =>
      validateSync(plainToInstance(CircuitBreakerConfiguration, { ignoreLocalStalls })).map(
        ({ constraints }) => Object.values(constraints ?? {}).join(),
      );
    expect(['true', 'false', true, undefined].flatMap(complaints)).toEqual([]);
    expect(complaints('yes')).toEqual(['ignoreLocalStalls is a string; give true or false']);
  });
});
