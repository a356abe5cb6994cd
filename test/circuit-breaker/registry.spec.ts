import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, CircuitBreakerRegistry, ConfigurationError } from '../../lib/index.js';
import { thrown } from '../operation/support.js';

describe('the registry of circuit breakers', () => {
  it('gives one and the same breaker for a name, and lists all in order', () => {
    const registry = new CircuitBreakerRegistry();
    const payments = registry.create({ name: 'payments', failureThreshold: 3 });
    const mail = registry.register(new CircuitBreaker({ name: 'mail' }));
    expect(registry.get('payments')).toBe(payments);
    expect(registry.get('payments').failureThreshold).toBe(3);
    expect(registry.list()).toEqual([payments, mail]);
    expect([registry.has('mail'), registry.has('Mail')]).toEqual([true, false]);
    expect(registry.register(mail)).toBe(mail);
    expect(registry.list()).toHaveLength(2);
  });

  it('takes no second breaker of one name', () => {
    const registry = new CircuitBreakerRegistry();
    const first = registry.create({ name: 'payments' });
    const error = thrown(() => registry.create({ name: 'payments' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe("circuitBreakers 'payments' is registered twice; give each a name of its own");
    expect(registry.list()).toEqual([first]);
  });

  it('names the nearest breaker when there is none of a name, and says how to register one', () => {
    const registry = new CircuitBreakerRegistry();
    expect(thrown(() => registry.get('payments')).message).toBe(
      "circuitBreaker 'payments' is not registered; register it: circuitBreakers: [{ name: 'payments' }]",
    );
    registry.create({ name: 'payments' });
    expect(thrown(() => registry.get('paymnets'))).toMatchObject({
      option: 'circuitBreaker',
      cure: "did you mean 'payments'?",
    });
  });

  it('makes no breaker without a name of its own', () => {
    const registry = new CircuitBreakerRegistry();
    expect(thrown(() => registry.create({} as never))).toMatchObject({ option: 'name' });
    expect(registry.list()).toEqual([]);
  });
});
