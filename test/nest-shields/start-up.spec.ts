import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Scope } from '@nestjs/common';
import { ConcurrencyLimit, Resilient, Shield, Shielded } from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { messageOf, warningsOf } from '../nest/configuration-support.js';
import { start } from '../nest/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { GithubClient } from './support.js';

const shields = [{ name: 'github' }, { name: 'stripe' }];
const concurrencyLimits = [{ name: 'db', maxConcurrent: 2 }];

describe('an application does not start with', () => {
  @Injectable()
  class Misspelt {
    @Shielded('githup')
    async call(): Promise<void> {}
  }
  @Injectable()
  class Unlimited {
    @Resilient({ concurrencyLimit: 'bd' })
    async call(): Promise<void> {}
  }
  @Injectable()
  class OwnShield {
    @Shielded.api('github')
    async call(): Promise<void> {}
  }
  @Injectable()
  class ForeignShield {
    @Shielded(Shield.api('stripe'))
    async call(): Promise<void> {}
  }
  @Injectable()
  class OwnLimit {
    @Resilient({ concurrencyLimit: new ConcurrencyLimit({ name: 'db', maxConcurrent: 1 }) })
    async call(): Promise<void> {}
  }
  const NAME_IT = 'as a registered one is; give the name, or name it differently';

  it.each([
    [
      'an unknown shield',
      Misspelt,
      "Misspelt.call: shield 'githup' is not registered; did you mean 'github'?",
    ],
    [
      'an unknown concurrency limit',
      Unlimited,
      "Unlimited.call: concurrencyLimit 'bd' is not registered; did you mean 'db'?",
    ],
    [
      'a shield of a method that has the name of a registered one',
      OwnShield,
      `OwnShield.call: shield is a shield of its own that is named 'github', ${NAME_IT}`,
    ],
    [
      'a shield object that has the name of a registered one',
      ForeignShield,
      `ForeignShield.call: shield is a shield of its own that is named 'stripe', ${NAME_IT}`,
    ],
    [
      'a limit object that has the name of a registered one',
      OwnLimit,
      `OwnLimit.call: concurrencyLimit is a limit of its own that is named 'db', ${NAME_IT}`,
    ],
  ])('%s', async (_name, Client, message) => {
    expect(await messageOf(start({ providers: [Client] }, { shields, concurrencyLimits }))).toBe(message);
  });

  it('a name that nothing is like, and says how to register it', async () => {
    expect(await messageOf(start({ providers: [Misspelt] }))).toBe(
      "Misspelt.call: shield 'githup' is not registered; register it: shields: [{ name: 'githup' }]",
    );
    expect(await messageOf(start({ providers: [Unlimited] }))).toBe(
      "Unlimited.call: concurrencyLimit 'bd' is not registered; register it: concurrencyLimits: [{ name: 'bd', maxConcurrent: 10 }]",
    );
  });

  it('all such mistakes of all its classes in one error', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped extends Misspelt {}
    @Controller()
    class Pages {
      @Get()
      @Shielded('strip')
      async page(): Promise<void> {}
    }
    const message = await messageOf(
      start(
        { providers: [Scoped, Unlimited, GithubClient], controllers: [Pages] },
        {
          shields,
          concurrencyLimits,
          operations: { 'GithubClient.issues': { retries: 2 }, 'GithubClient.isues': {} },
        },
      ),
    );
    expect(message.split('\n')).toEqual([
      'decorated methods have 5 mistakes:',
      expect.stringContaining("Scoped.call: shield 'githup' is not registered; did you mean 'github'?"),
      expect.stringContaining("Unlimited.call: concurrencyLimit 'bd' is not registered; did you mean 'db'?"),
      expect.stringContaining(
        'GithubClient.issues: retries is given by operations to a method that is shielded; leave it to the shield',
      ),
      expect.stringContaining("Pages.page: shield 'strip' is not registered; did you mean 'stripe'?"),
      expect.stringContaining("operations['GithubClient.isues'] is about no decorated method"),
      '; mend them and start again',
    ]);
  });

  it.each(['timeout', 'fallback', 'idempotencyTtl', 'maxRateLimitWait', 'use', 'idempotent'] as const)(
    'operations that say %s of a shielded method',
    async (option) => {
      const value = option === 'idempotent' ? true : '1s';
      const operations = { 'GithubClient.issues': { [option]: value } };
      const message = await messageOf(start({ providers: [GithubClient] }, { shields, operations }));
      expect(message).toMatch(
        new RegExp(`^GithubClient\\.issues: ${option} is given by operations to a method that is shielded; `),
      );
    },
  );
});

describe('operations may say of a shielded method', () => {
  it('a deadline, a circuit breaker and a concurrency limit, from texts too', async () => {
    const app = await start(
      { providers: [GithubClient] },
      {
        shields,
        concurrencyLimits,
        circuitBreakers: [{ name: 'github' }],
        operations: {
          'GithubClient.issues': { deadline: '5s', circuitBreaker: 'github', concurrencyLimit: 'db' },
        },
      },
    );
    expect(app.get(ResilienceExecutor).describe('GithubClient.issues').split('\n')[0]).toBe(
      "GithubClient.issues: deadline 5 s > circuit breaker 'github' > shield 'github' > concurrency limit 'db' > method",
    );
  });

  it('how many run at once, or that a limit is left out', async () => {
    @Injectable()
    class Client {
      @Resilient({ concurrencyLimit: 'db' })
      async one(): Promise<void> {}
      @Resilient({ concurrencyLimit: 'db' })
      async none(): Promise<void> {}
      @Resilient({ maxConcurrent: 3 })
      async own(): Promise<void> {}
    }
    const app = await start(
      { providers: [Client] },
      {
        concurrencyLimits,
        operations: {
          'Client.one': { maxConcurrent: '4' },
          'Client.none': { concurrencyLimit: 'false' },
          'Client.own': { concurrencyLimit: false },
        },
      },
    );
    const summary = (name: string) => app.get(ResilienceExecutor).descriptionOf(name).summary;
    expect([summary('Client.one'), summary('Client.none'), summary('Client.own')]).toEqual([
      'Client.one: at most 4 at once > method',
      'Client.none: method',
      'Client.own: method',
    ]);
  });

  it('no limit object: that is code', async () => {
    const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 1 }) as unknown as string;
    const operations = { 'GithubClient.issues': { concurrencyLimit } };
    expect(
      await messageOf((async () => start({ providers: [GithubClient] }, { shields, operations }))()),
    ).toBe(
      "ResilienceModule.operations['GithubClient.issues']: concurrencyLimit is an object; give data here; functions and policy objects belong to the decorator or to policies",
    );
  });
});

describe('the defaults of the module', () => {
  it('lie under a shielded method only where it has nothing of its own', async () => {
    const app = await start(
      { providers: [GithubClient] },
      { shields, defaults: { timeout: '1s', retries: 2, retryOn: [TypeError], deadline: '30s' } },
    );
    const { summary } = app.get(ResilienceExecutor).descriptionOf('GithubClient.issues');
    expect(summary).toBe("GithubClient.issues: deadline 30 s > shield 'github' > method");
  });
});

describe('@Shielded and @Resilient on one method is refused while the class is defined,', () => {
  const wrapping: MethodDecorator = (_target, _key, descriptor) => {
    const inner = descriptor.value as unknown as (...args: unknown[]) => unknown;
    descriptor.value = function (this: unknown, ...args: unknown[]) {
      return inner.apply(this, args);
    } as never;
  };
  const MESSAGE = 'is on a method that has @Resilient and @Shielded; take one of them away';

  it('whichever is above', () => {
    const above = mistakeOf(() => {
      class Client {
        @Shielded('github')
        @Resilient()
        async call(): Promise<void> {}
      }
      return Client;
    });
    expect(above.message).toContain(`Client.call: @Shielded ${MESSAGE}`);
    const below = mistakeOf(() => {
      class Client {
        @Resilient()
        @Shielded.slow()
        async call(): Promise<void> {}
      }
      return Client;
    });
    expect(below.message).toContain(`Client.call: @Resilient ${MESSAGE}`);
  });

  it('with a decorator in between that wraps the method', () => {
    const above = mistakeOf(() => {
      class Client {
        @Shielded('github')
        @wrapping
        @Resilient()
        async call(): Promise<void> {}
      }
      return Client;
    });
    expect(above.message).toContain(`Client.call: @Shielded ${MESSAGE}`);
    const below = mistakeOf(() => {
      class Client {
        @Resilient()
        @wrapping
        @Shielded('github')
        async call(): Promise<void> {}
      }
      return Client;
    });
    expect(below.message).toContain(`Client.call: @Resilient ${MESSAGE}`);
  });
});

describe('warnings at start-up', () => {
  it('count a shielded call as four attempts', async () => {
    @Injectable()
    class IssueService {
      constructor(readonly github: GithubClient) {}

      @Resilient({ retries: 2, retryOn: [TypeError] })
      async list(): Promise<void> {}
    }
    expect(await warningsOf({ providers: [GithubClient, IssueService] }, { shields })).toEqual([
      [
        'IssueService.list may call its upstream 12 times for one call: IssueService.list (up to 3 attempts) > GithubClient.issues (up to 4 attempts); retry in one place, best in the one nearest to the upstream',
        'retries-inside-retries',
      ],
    ]);
  });

  it('do not ask a shielded method what its retries are for', async () => {
    expect(await warningsOf({ providers: [GithubClient] }, { shields })).toEqual([]);
  });

  it('tell of bare numbers that are long waits, wherever they stand', async () => {
    @Injectable()
    class Client {
      @Shielded.api({ maxWait: 3_000 })
      async call(): Promise<void> {}
    }
    const found = await warningsOf(
      { providers: [Client] },
      {
        shields: [{ name: 'github', maxWait: 2_000 }],
        concurrencyLimits: [{ name: 'db', maxConcurrent: 1, queue: { size: 1, maxWait: 5_000 } }],
      },
    );
    const meant = (ms: number) => `${ms} seconds; write '${ms}ms' if milliseconds are meant, '${ms}s' if not`;
    expect(found).toEqual([
      [`Client.call: maxWait is ${meant(3_000)}`, 'duration-in-milliseconds'],
      [`shield 'github': maxWait is ${meant(2_000)}`, 'duration-in-milliseconds'],
      [`concurrency limit 'db': queue.maxWait is ${meant(5_000)}`, 'duration-in-milliseconds'],
    ]);
  });

  it('tell of a deadline that no attempt of the shield fits in', async () => {
    @Injectable()
    class Client {
      @Shielded.slow('reports', {}, { deadline: '5s' })
      async tight(): Promise<void> {}
      @Shielded.slow('exports', {}, { deadline: '6s' })
      async wide(): Promise<void> {}
    }
    expect(await warningsOf({ providers: [Client] })).toEqual([
      [
        "Client.tight has a shield with the profile 'slow', which gives each try 5 s at the least, and a deadline of 5 s for all of them, so no try meets its timeout; choose a faster profile, or raise the deadline",
        'waits-beyond-deadline',
      ],
    ]);
  });

  it('tell of shields of one name that methods make for themselves', async () => {
    class Base {
      @Shielded.api('gitlab')
      async call(): Promise<void> {}
    }
    @Injectable()
    class Europe extends Base {}
    @Injectable()
    class Asia extends Base {}
    @Injectable()
    class Apart {
      @Shielded.api()
      async one(): Promise<void> {}
      @Shielded.api()
      async other(): Promise<void> {}
    }
    expect(await warningsOf({ providers: [Europe, Asia, Apart, GithubClient] }, { shields })).toEqual([
      [
        "Europe.call and Asia.call have a shield each that is named 'gitlab', so they share neither its rate nor its retries; register it, shields: [{ name: 'gitlab' }], and give them its name: @Shielded('gitlab')",
        'shield-not-shared',
      ],
    ]);
  });
});

it('describes an operation with the shield that it has, and makes no other', async () => {
  let readings = 0;
  const env = {
    get RELPRIM_SHIELD_MAX_RATE() {
      readings += 1;
      return '5';
    },
  };
  @Injectable()
  class Client {
    @Shielded.api({ env })
    async call(): Promise<void> {}
  }
  const app = await start({ providers: [Client] });
  readings = 0;
  expect(app.get(ResilienceExecutor).describe('Client.call').split('\n')[0]).toBe(
    "Client.call: shield 'Client.call' > method",
  );
  expect(readings).toBe(0);
});
