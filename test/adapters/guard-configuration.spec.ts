import { describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { plainToInstance, Type } from 'class-transformer';
import { validateSync, ValidateNested } from 'class-validator';
import {
  ConcurrencyLimitConfiguration,
  PolicyConfiguration,
  ShieldConfiguration,
} from '../../lib/adapters/class-validator.js';

class AppConfiguration {
  @ValidateNested()
  @Type(() => ShieldConfiguration)
  github!: ShieldConfiguration;

  @ValidateNested()
  @Type(() => ConcurrencyLimitConfiguration)
  printers!: ConcurrencyLimitConfiguration;

  @ValidateNested()
  @Type(() => PolicyConfiguration)
  charge!: PolicyConfiguration;
}

/** What is said of each wrong property. */
function mistakesIn(plain: object): Record<string, string> {
  const errors = validateSync(plainToInstance(AppConfiguration, plain), {
    forbidNonWhitelisted: true,
    whitelist: true,
  });
  return Object.fromEntries(
    errors.flatMap(({ property, children = [] }) =>
      children.map((child) => [
        `${property}.${child.property}`,
        Object.values(child.constraints ?? {}).join(),
      ]),
    ),
  );
}

describe('the configuration classes of shields and concurrency limits', () => {
  it('accept what the module accepts, as text too', () => {
    const github = {
      profile: 'slow',
      timeoutErrors: 'ECONNRESET, TooManyRequests',
      maxRate: '0.5',
      maxWait: '30s',
      whenLimited: 'reject',
    };
    const printers = { maxConcurrent: '10', queue: { size: '5', maxWait: '2s' } };
    const charge = { maxConcurrent: '3' };
    expect(mistakesIn({ github, printers, charge })).toEqual({});
    expect(
      mistakesIn({ github: { timeoutErrors: ['ECONNRESET'] }, charge: { concurrencyLimit: 'printers' } }),
    ).toEqual({});
  });

  it('say of each mistake what the module would say, and never what was there', () => {
    const mistakes = mistakesIn({
      github: {
        profile: 'fast',
        timeoutErrors: 'a secret!',
        maxRate: 'sk-123',
        maxWait: 'soon',
        whenLimited: 'never',
      },
      printers: { maxConcurrent: 0, queue: { size: -1 } },
      charge: { maxConcurrent: 'many' },
    });
    expect(mistakes).toEqual({
      'github.profile': "profile is a string; give 'internal', 'api' or 'slow'",
      'github.timeoutErrors':
        'timeoutErrors has an entry that is no name; set it to names or codes of errors, between commas or as a JSON list',
      'github.maxRate': 'maxRate is a string; give calls per second, above 0',
      'github.maxWait':
        "maxWait is a string; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
      'github.whenLimited': "whenLimited is a string; give 'wait' or 'reject'",
      'printers.maxConcurrent': 'maxConcurrent is the number 0; give a whole number, 1 or more',
      'printers.queue': 'queue.size is the number -1; give a whole number, 0 or more',
      'charge.maxConcurrent': 'maxConcurrent is a string; give a whole number, 1 or more',
    });
  });

  it('refuse a queue with an option that nobody knows', () => {
    expect(mistakesIn({ printers: { queue: { length: 3 } } })['printers.queue']).toMatch(
      /^length is not an option here; /,
    );
  });
});
