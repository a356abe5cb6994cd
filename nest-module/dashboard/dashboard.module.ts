import {
  Inject,
  Module,
  Optional,
  type DynamicModule,
  type FactoryProvider,
  type OnModuleDestroy,
} from '@nestjs/common';
import { located } from '../../lib/container.js';
import type { Clock } from '../../lib/index.js';
import { refuseAlone, refuseAsItIs } from '../site/refuse-module.js';
import { isToken } from '../site/site-options.js';
import { ResilienceState } from '../state/resilience-state.js';
import { RESILIENCE_CLOCK } from '../tokens.js';
import { dashboardControllers } from './dashboard-controllers.js';
import type { DashboardHistory } from './dashboard-history.js';
import {
  checkDashboardOptions,
  checkHistory,
  type DashboardOptions,
  type ResilienceDashboardOptions,
} from './dashboard-options.js';
import { DashboardSite } from './dashboard-site.js';

/**
 * One page inside the application that shows its resilience live: circuit breakers, shields, concurrency limits,
 * operations, and each call with its attempts. Import it beside `ResilienceModule.forRoot()`, on Express or Fastify.
 */
@Module({})
export class ResilienceDashboardModule implements OnModuleDestroy {
  constructor(@Optional() @Inject(DashboardSite) private readonly site: DashboardSite | undefined) {
    if (site === undefined) refuseAsItIs('ResilienceDashboardModule');
  }

  /**
   * @throws {ConfigurationError} without a guard, unless it is told `unsafe: true`, and for options that cannot work.
   * @example `ResilienceDashboardModule.forRoot({ path: '/resilience', guard: AdminGuard })`
   */
  static forRoot(options: ResilienceDashboardOptions): DynamicModule {
    const checked = located('ResilienceDashboardModule.forRoot', () => checkDashboardOptions(options ?? {}));
    return {
      module: ResilienceDashboardModule,
      imports: [...checked.imports],
      controllers: [...dashboardControllers(checked)],
      providers: [siteProvider(checked)],
    };
  }

  /** Before the servers close: they would wait for the browsers that watch. */
  onModuleDestroy(): void {
    this.site?.end();
  }
}

function siteProvider({ history, operatorGuards }: DashboardOptions): FactoryProvider<DashboardSite> {
  const token = history !== undefined && isToken(history) ? history : undefined;
  return {
    provide: DashboardSite,
    inject: [
      { token: ResilienceState, optional: true },
      { token: RESILIENCE_CLOCK, optional: true },
      ...(token === undefined ? [] : [token]),
    ],
    useFactory: (state: ResilienceState | undefined, clock: Clock | undefined, found?: DashboardHistory) => {
      if (state === undefined || clock === undefined) return refuseAlone('ResilienceDashboardModule');
      const store = token === undefined ? (history as DashboardHistory | undefined) : checkHistory(found);
      return new DashboardSite({ state, clock, history: store, isOperable: operatorGuards !== undefined });
    },
  };
}
