import { describe, expect, it } from '@jest/globals';
import { MisuseError } from '../../lib/index.js';
import {
  after,
  always,
  callThrough,
  fail,
  hang,
  ResilienceTesting,
  succeed,
  type Outcome,
} from '../../nest-module/testing/index.js';
import { rejection } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { DOWN, RECEIPT, underTest } from './support.js';

describe('a script that is too short', () => {
  it('fails the call with an error that nothing retries or hides', async () => {
    const { resilience, client, http } = await underTest();
    resilience.script('PaymentsClient.charge', fail(DOWN));
    resilience.script('PaymentsClient.check', fail(DOWN));
    const error = await resilience.settle(rejection(client.charge('o-1')));
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toBe(
      'PaymentsClient.charge is scripted, and this is attempt 2 where 1 were expected; ' +
        'script more outcomes, or end with always(…): always(callThrough()) calls the method itself',
    );
    await client.check('o-1');
    expect(await rejection(client.check('o-1'))).toBeInstanceOf(MisuseError);
    expect(http.orders).toEqual([]);
    expect(() => resilience.verifyScripts()).toThrow(
      'scripts do not fit:\n' +
        '  PaymentsClient.charge: 1 attempt(s) found no outcome left\n' +
        '  PaymentsClient.check: 1 attempt(s) found no outcome left',
    );
  });
});

describe('a script that is too long', () => {
  it('is found', async () => {
    const { resilience, client } = await underTest();
    resilience.script(
      'PaymentsClient.charge',
      succeed(RECEIPT),
      fail(new RangeError('secret')),
      after('2s', hang()),
    );
    await client.charge('o-1');
    expect(resilience.pendingOutcomes()).toEqual([
      'PaymentsClient.charge: fail(RangeError)',
      'PaymentsClient.charge: after(2s, hang())',
    ]);
    expect(() => resilience.verifyScripts()).toThrow(
      'scripts do not fit:\n' +
        '  PaymentsClient.charge: fail(RangeError) was not used\n' +
        '  PaymentsClient.charge: after(2s, hang()) was not used',
    );
  });
});

describe('a second script of an operation', () => {
  it('replaces what is left of the first', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.charge', always(fail(DOWN)));
    resilience.script('PaymentsClient.charge', succeed(RECEIPT));
    expect(await client.charge('o-1')).toBe(RECEIPT);
    resilience.verifyScripts();
  });

  it('without outcomes ends it, and the method is called again', async () => {
    const { resilience, client, http } = await underTest();
    resilience.script('PaymentsClient.charge', always(fail(DOWN)));
    resilience.script('PaymentsClient.charge');
    await client.charge('o-1');
    expect(http.orders).toEqual(['o-1']);
    expect(resilience.pendingOutcomes()).toEqual([]);
  });
});

describe('what cannot work in a script is refused', () => {
  const script = (...outcomes: readonly unknown[]) =>
    mistakeOf(() => new ResilienceTesting().script('PaymentsClient.charge', ...(outcomes as Outcome[])));

  it('something that is no outcome', () => {
    expect(script(succeed(), DOWN)).toMatchObject({
      option: 'outcomes[1]',
      problem: 'is an object',
      cure: 'give succeed(), fail(), hang(), callThrough(), after() or always()',
    });
    expect(script(succeed)).toMatchObject({ option: 'outcomes[0]', problem: 'is a function' });
    expect(script([succeed()])).toMatchObject({ option: 'outcomes[0]', problem: 'is a list' });
    expect(mistakeOf(() => always(DOWN as never))).toMatchObject({ option: 'outcome', path: 'always()' });
    expect(mistakeOf(() => after('1s', DOWN as never))).toMatchObject({ option: 'outcome', path: 'after()' });
  });

  it('an outcome that is never reached', () => {
    expect(script(always(hang()), succeed())).toMatchObject({
      option: 'outcomes[1]',
      problem: 'comes after always(hang()), which never ends',
      cure: 'put always() last',
    });
    expect(script(always(hang()), always(succeed()))).toMatchObject({ option: 'outcomes[1]' });
    expect(mistakeOf(() => after('1s', always(callThrough()))).cure).toBe(
      'give always(after(…)), the other way round',
    );
  });

  it.each(['1 sec', -1, NaN, '', undefined])('a time of %p', (duration) => {
    expect(mistakeOf(() => after(duration as never, succeed()))).toMatchObject({
      option: 'duration',
      path: 'after()',
    });
  });
});
