import { expect, it } from '@jest/globals';
import { Injectable, Module, Scope } from '@nestjs/common';
import { ConfigurationError, Resilient } from '../../lib/index.js';
import {
  ResilienceModule,
  type ResilienceConfiguration,
  type ResilienceModuleAsyncOptions,
} from '../../nest-module/index.js';
import { messageOf, startWith } from './configuration-support.js';

const useFactory = (): ResilienceConfiguration => ({});
class Settings {
  createResilienceOptions(): ResilienceConfiguration {
    return {};
  }
}

it('settings that something request-scoped gives are refused with the cure, and not silently without effect', async () => {
  @Injectable({ scope: Scope.REQUEST })
  class Tenant extends Settings {}
  @Module({ providers: [Tenant], exports: [Tenant] })
  class TenantModule {}
  @Injectable()
  class Client {
    @Resilient({ circuitBreaker: 'nowhere' })
    async call(): Promise<void> {}
  }
  const imports = [TenantModule];
  const sources: ResilienceModuleAsyncOptions[] = [
    { imports, inject: [Tenant], useFactory },
    { imports, useExisting: Tenant },
    { useClass: Tenant },
  ];
  for (const source of sources) {
    const starting = startWith(ResilienceModule.forRootAsync(source), { providers: [Client] });
    await expect(starting).rejects.toThrow(ConfigurationError);
    expect(await messageOf(starting)).toBe(
      'ResilienceExecutor was not made at start-up, so something that it depends on is request-scoped; make the event sinks, what they inject and what an options factory injects singletons',
    );
  }
});

it('a second root is refused, of whichever kind', async () => {
  const TWICE = 'ResilienceModule.forRoot is imported more than once; import it in the root module only';
  const roots = [
    () => ResilienceModule.forRoot(),
    () => ResilienceModule.forRootAsync({ useFactory }),
    () => ResilienceModule.forRootAsync({ useFactory }),
  ];
  for (const second of roots) {
    @Module({ imports: [second()] })
    class FeatureModule {}
    const starting = startWith(ResilienceModule.forRootAsync({ useFactory }), { imports: [FeatureModule] });
    expect(await messageOf(starting)).toContain(TWICE);
  }
});
