import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError, Resilient, resilient } from '../../lib/index.js';
import { gives, thrown } from './support.js';

describe('a concurrency limit given by name outside an application', () => {
  let warnings: jest.SpiedFunction<typeof process.emitWarning>;
  beforeEach(() => {
    warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('limits nothing, which is one warning with the cure', async () => {
    let running = 0;
    let most = 0;
    class Client {
      @Resilient({ concurrencyLimit: 'outside' })
      async read(): Promise<void> {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
      }
    }
    const client = new Client();
    await Promise.all([client.read(), client.read(), new Client().read()]);
    expect(most).toBe(3);
    expect(warnings.mock.calls).toEqual([
      [
        "concurrency limit 'outside' is given by name outside an application, where nobody knows it, so nothing is limited; " +
          'import ResilienceModule, or give a ConcurrencyLimit',
        { code: 'RELPRIM' },
      ],
    ]);
  });
});

describe('resilient()', () => {
  it.each(['', ' ', '\t\n'])('takes %j for no name of a function', (name) => {
    const fn = Object.defineProperty(gives(1), 'name', { value: name });
    const error = thrown(() => resilient({}, fn));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe("name is missing, and the function has none of its own; give name: '…'");
  });
});
