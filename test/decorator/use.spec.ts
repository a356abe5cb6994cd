import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import type { ModulePolicies } from '../../lib/decorator/layers.js';
import { asyncOperation, reportOf, resilient, Resilient } from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { decoratorMistake } from './refusals.js';
import { mistakeOf, noWait, placeOf, rejectionOf } from './support.js';

const down = new RangeError('down');

class Client {
  calls = 0;

  @Resilient('upstream')
  async named(): Promise<never> {
    this.calls += 1;
    throw down;
  }

  @Resilient({ use: 'upstream', retries: 1 })
  async less(): Promise<never> {
    this.calls += 1;
    throw down;
  }

  @Resilient({ use: 'unknown' })
  async unknown(): Promise<never> {
    this.calls += 1;
    throw down;
  }
}

function clientUnder(policies: ModulePolicies): Client {
  const client = new Client();
  bindHandle(client, { current: new MethodExecutor(new StandaloneHost(), policies) });
  return client;
}

afterEach(() => void jest.restoreAllMocks());

describe('a named policy', () => {
  const policies = { policies: { upstream: { retries: 3, backoff: noWait } } };

  it('rules the methods that use it, under their own options', async () => {
    const client = clientUnder(policies);
    await expect(client.named()).rejects.toBe(down);
    expect(client.calls).toBe(4);
    await expect(client.less()).rejects.toBe(down);
    expect(client.calls).toBe(6);
  });

  it('lies over defaults, and under operations', async () => {
    const client = clientUnder({
      ...policies,
      defaults: { retries: 9, throws: 'original' },
      operations: { 'Client.named': { retries: 0 } },
    });
    await expect(client.named()).rejects.toBe(down);
    expect(client.calls).toBe(1);
    expect(reportOf(down)?.attemptCount).toBe(1);
  });

  it('that the application does not have is said at the first call, with the name that was meant', async () => {
    const mistake = await rejectionOf(clientUnder({ policies: { unknwon: {} } }).unknown());
    expect(mistake).toMatchObject({
      message: "Client.unknown: use 'unknown' is no policy of the module; did you mean 'unknwon'?",
    });
  });

  it('is nobody outside an application, so a method runs with its own options, with one warning', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    class Alone extends Client {}
    const alone = new Alone();
    await expect(alone.less()).rejects.toBe(down);
    await expect(alone.less()).rejects.toBe(down);
    await expect(new Alone().less()).rejects.toBe(down);
    expect(alone.calls).toBe(4);
    expect(warn.mock.calls).toEqual([
      [
        "Alone.less uses the policy 'upstream' outside an application, where nobody knows it, so it runs with its own options alone; import ResilienceModule with that policy",
        { code: 'RELPRIM' },
      ],
    ]);
  });
});

describe('what belongs to methods alone', () => {
  it.each(['use', 'throws', 'returns'])(
    '%s is no option of resilient(), nor a step of the builder',
    (option) => {
      const { message } = mistakeOf(() => resilient({ [option]: 'x' }, async function read() {}));
      expect(message).toContain(`read: ${option} is not an option here`);
      const steps = Object.getOwnPropertyNames(
        Object.getPrototypeOf(asyncOperation('a', async () => 1)) as object,
      );
      expect(steps.filter((step) => step.toLowerCase() === `with${option}`)).toEqual([]);
    },
  );

  it.each([
    ['', 'a blank string'],
    [' ', 'a blank string'],
    [null, 'null'],
    [true, 'true'],
    [7, 'the number 7'],
  ])('use is refused as %j', (use, kind) => {
    expect(decoratorMistake({ use }).message).toBe(
      `${placeOf('Client', 'charge')}: use is ${kind}; give a text that is not blank`,
    );
  });

  it('a blank name in the short form is refused as well', () => {
    expect(decoratorMistake('').message).toBe(
      `${placeOf('Client', 'charge')}: use is a blank string; give a text that is not blank`,
    );
  });
});
