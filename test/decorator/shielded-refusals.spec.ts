import { describe, expect, it } from '@jest/globals';
import { Resilient, Shield, Shielded } from '../../lib/index.js';
import { mistakeOf, placeOf } from './support.js';

describe('@Shielded in the wrong place', () => {
  /** The types refuse all of this; JavaScript and `as any` do not. */
  const bare: any = Shielded;
  const resilient = (): any => Resilient({ retries: 1 });
  const shielded = (): any => Shielded();

  it('without parentheses says how it is written', () => {
    const error = mistakeOf(() => {
      class Users {
        @bare
        async read(): Promise<void> {}
      }
      return Users;
    });
    expect(error.message).toBe(
      `${placeOf('Users', 'read')}: @Shielded is written without parentheses; write @Shielded() or @Shielded({ … })`,
    );
    const profiled = mistakeOf(() => {
      class Users {
        @bare.api
        async read(): Promise<void> {}
      }
      return Users;
    });
    expect(profiled.message).toContain('write @Shielded.api()');
  });

  it.each(['above', 'below'])('%s @Resilient is refused [S152]', (place) => {
    const [upper, lower] = place === 'above' ? [shielded, resilient] : [resilient, shielded];
    const error = mistakeOf(() => {
      class Users {
        @upper()
        @lower()
        async read(): Promise<void> {}
      }
      return Users;
    });
    expect(error.message).toContain(placeOf('Users', 'read'));
    expect(error.message).toContain(
      'is on a method that has @Resilient and @Shielded; take one of them away',
    );
  });

  it('on a generator is refused', () => {
    const error = mistakeOf(() => {
      class Users {
        @shielded()
        async *read(): AsyncGenerator<number> {}
      }
      return Users;
    });
    expect(error.message).toContain('@Shielded is on a generator');
  });
});

describe('what @Shielded refuses', () => {
  const decorating = (make: () => any) =>
    mistakeOf(() => {
      class Users {
        @make()
        async read(): Promise<void> {}
      }
      return Users;
    });
  const shield = Shield.api('github', { env: false });

  it.each([
    ['retries', 3],
    ['timeout', '1s'],
    ['fallback', () => 'stand-in'],
    ['retryOn', [RangeError]],
    ['backoff', { delayForRetry: () => 1 }],
    ['idempotencyKey', () => 'k'],
    ['idempotent', true],
    ['use', 'policy'],
  ])('%s: a shield has that itself', (option, value) => {
    expect(decorating(() => Shielded(shield, { [option]: value })).message).toContain(option);
  });

  it.each([[42], [''], [' '], [{}], [[]], [null]])('%p for a shield', (choice) => {
    expect(decorating(() => Shielded(choice as unknown as Shield)).message).toContain('@Shielded');
  });

  it.each([
    [() => Shielded.api({ maxRate: 0 }), 'maxRate'],
    [() => Shielded.api('3x'), 'name'],
    [() => Shielded.slow('a', { retries: 3 } as object), 'retries'],
    [() => Shielded.slow('a', {}, { retries: 3 } as object), 'retries'],
    [() => Shielded.internal({ profile: 'slow' } as object), 'profile'],
  ])('options of its own that cannot work (%#)', (make, option) => {
    const { message } = decorating(make);
    expect(message).toContain(option);
    expect(message).toContain(placeOf('Users', 'read'));
  });
});
