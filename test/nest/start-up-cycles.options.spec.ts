import { describe, expect, it, jest } from '@jest/globals';
import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { Resilient } from '../../lib/index.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceConfiguration,
} from '../../nest-module/index.js';
import { startWith } from './configuration-support.js';
import { calls, inTime, watch } from './support.js';

const settings: ResilienceConfiguration = {
  circuitBreakers: { remote: { failureThreshold: 2 } },
  policies: { remote: { timeout: '7s' } },
};

/** Settings come from another system, which is asked under a policy. */
@Injectable()
class RemoteConfig {
  @Resilient({ timeout: '1s' })
  async load(): Promise<ResilienceConfiguration> {
    return settings;
  }
}

@Injectable()
class RunnerConfig {
  constructor(@Inject(ResilienceExecutor) private readonly executor: ResilienceExecutor) {}

  @Resilient({ timeout: '1s' })
  async fetch(): Promise<ResilienceConfiguration> {
    return settings;
  }

  async load(): Promise<ResilienceConfiguration> {
    return (await this.executor.run<RunnerConfig, 'fetch'>(this, 'fetch')).value;
  }
}

/** Uses what only the answer will bring. */
@Injectable()
class EagerConfig {
  @Resilient({ use: 'remote', circuitBreaker: 'remote' })
  async load(): Promise<ResilienceConfiguration> {
    return settings;
  }
}

interface Loader {
  load(): Promise<ResilienceConfiguration>;
}

/** A module of a source of settings, directly and behind a third provider. */
function moduleOf(source: Type<Loader>) {
  @Injectable()
  class Third implements Loader {
    constructor(@Inject(source) private readonly inner: Loader) {}

    load(): Promise<ResilienceConfiguration> {
      return this.inner.load();
    }
  }
  @Module({ providers: [source, Third], exports: [source, Third] })
  class ConfigModule {}
  return { ConfigModule, Third };
}

function application(source: Type<Loader>, asked: Type<Loader>, module: Type) {
  const root = ResilienceModule.forRootAsync({
    circuitBreakers: ['remote'],
    imports: [module],
    inject: [asked],
    useFactory: (loader: Loader) => loader.load(),
  });
  return inTime(startWith(root));
}

describe.each([
  ['has a decorated method', RemoteConfig, 'RemoteConfig.load'],
  ['injects the executor', RunnerConfig, 'RunnerConfig.fetch'],
])('an application starts when the source of its settings %s', (_name, source, operation) => {
  const { ConfigModule, Third } = moduleOf(source);

  it.each([
    ['and is injected directly', source],
    ['and is injected through a third provider', Third],
  ])('%s', async (_how, asked) => {
    const app = watch(await application(source, asked, ConfigModule));
    expect(app.get(ResilienceExecutor).describe(operation)).toContain('timeout 1 s');
    // While it started there was no application yet.
    expect(calls()).toEqual([`DEFAULT ${operation}`]);
    await app.get(asked, { strict: false }).load();
    expect(calls()).toEqual([`APP ${operation}`]);
  });
});

it('settings that name policies for their own source rule it once the application has started', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const { ConfigModule } = moduleOf(EagerConfig);
  const app = watch(await application(EagerConfig, EagerConfig, ConfigModule));
  expect(warn.mock.calls.map(([message]) => message)).toEqual([
    expect.stringMatching(/^EagerConfig\.load uses the policy 'remote' outside an application/),
    expect.stringMatching(/^circuit breaker 'remote' is given by name outside an application/),
  ]);
  warn.mockRestore();
  expect(calls()).toEqual(['DEFAULT EagerConfig.load']);
  expect(app.get(ResilienceExecutor).descriptionOf('EagerConfig.load').summary).toBe(
    "EagerConfig.load: circuit breaker 'remote' > timeout 7 s > method",
  );
  await app.get(EagerConfig, { strict: false }).load();
  expect(calls()).toEqual(['APP EagerConfig.load']);
});
