import { describe, expect, it } from '@jest/globals';
import { RetryPolicy } from '../../lib/index.js';
import { gives, scene } from './support.js';

/** What `operation.started` says of an operation with these options. */
async function started(options: Parameters<typeof scene>[1]) {
  const { result, sink } = scene(gives(1), options);
  await result();
  return sink.events()[0]?.payload;
}

describe('the start of an operation', () => {
  it('says that nothing is switched on where nothing is', async () => {
    expect(await started({})).toEqual({
      retry_enabled: false,
      timeout_enabled: false,
      fallback_enabled: false,
      circuit_breaker_enabled: false,
      validation_enabled: false,
      rate_limit_enabled: false,
    });
  });

  it('says that there is a retry policy, also where that makes one attempt only', async () => {
    expect(await started({ retry: new RetryPolicy({ maxAttempts: 1 }) })).toMatchObject({
      retry_enabled: true,
    });
  });
});
