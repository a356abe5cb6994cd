import { describe, expect, it } from '@jest/globals';
import { httpCircuitBreaker } from '../../lib/index.js';
import { failureOf, failureWith } from './support.js';

const records = (error: unknown): boolean =>
  (httpCircuitBreaker('b').recordFailureOn as (error: unknown) => boolean)(error);

describe('the filter of a breaker for HTTP', () => {
  it.each([
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ])('counts a certificate that nobody trusts: %s', (code) => {
    expect(records(failureOf(code))).toBe(true);
  });

  it('does not count what was refused because the application ends, whatever had failed before', () => {
    const before = failureWith(503);
    expect(records(before)).toBe(true);
    const shutdown = Object.assign(new Error('no more calls', { cause: before }), {
      code: 'RELPRIM_SHUTDOWN',
    });
    expect(records(shutdown)).toBe(false);
  });

  it('stays where an option for it is given as undefined, and makes room for another one', () => {
    const { recordFailureOn } = httpCircuitBreaker('b', { recordFailureOn: undefined });
    expect((recordFailureOn as (error: unknown) => boolean)(failureWith(503))).toBe(true);
    const own = () => false;
    expect(httpCircuitBreaker('b', { recordFailureOn: own }).recordFailureOn).toBe(own);
  });
});
