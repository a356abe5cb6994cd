import {
  Inject,
  Module,
  Optional,
  type DynamicModule,
  type FactoryProvider,
  type OnModuleDestroy,
} from '@nestjs/common';
import { located } from '../../lib/container.js';
import { CircuitBreakerRegistry, ShieldRegistry, type Clock, type Random } from '../../lib/index.js';
import { ReliabilityMcp, type ExecutionHistory } from '../../lib/mcp/index.js';
import { ResilienceExecutor } from '../resilience-executor.js';
import { refuseAlone, refuseAsItIs } from '../site/refuse-module.js';
import { isToken } from '../site/site-options.js';
import { RESILIENCE_CLOCK, RESILIENCE_RANDOM } from '../tokens.js';
import { mcpController } from './mcp-controller.js';
import { checkMcpModuleOptions, type McpModuleOptions, type ResilienceMcpOptions } from './mcp-options.js';
import { McpSite } from './mcp-site.js';

/**
 * Shows a running application to agents: its circuit breakers, its shields and what happened to its calls, by
 * streamable HTTP. They only look, unless they are allowed more. Import it beside `ResilienceModule.forRoot()`.
 */
@Module({})
export class ResilienceMcpModule implements OnModuleDestroy {
  constructor(@Optional() @Inject(McpSite) private readonly site: McpSite | undefined) {
    if (site === undefined) refuseAsItIs('ResilienceMcpModule');
  }

  /**
   * @throws {ConfigurationError} without a guard, unless it is told `unsafe: true`, and for options that cannot work.
   * @example `ResilienceMcpModule.forRoot({ path: '/mcp', guard: AdminGuard })`
   */
  static forRoot(options: ResilienceMcpOptions): DynamicModule {
    const checked = located('ResilienceMcpModule.forRoot', () => checkMcpModuleOptions(options ?? {}));
    return {
      module: ResilienceMcpModule,
      imports: [...checked.imports],
      controllers: [mcpController(checked)],
      providers: [siteProvider(checked)],
    };
  }

  /** Before the servers close: they would wait for the clients that listen. */
  async onModuleDestroy(): Promise<void> {
    await this.site?.close();
  }
}

function siteProvider(options: McpModuleOptions): FactoryProvider<McpSite> {
  const { history, guards } = options;
  const token = history !== undefined && isToken(history) ? history : undefined;
  const optional = [
    CircuitBreakerRegistry,
    ShieldRegistry,
    ResilienceExecutor,
    RESILIENCE_CLOCK,
    RESILIENCE_RANDOM,
  ].map((wanted) => ({ token: wanted, optional: true }));
  return {
    provide: McpSite,
    inject: [...optional, ...(token === undefined ? [] : [token])],
    useFactory: (
      circuitBreakers: CircuitBreakerRegistry | undefined,
      shields: ShieldRegistry | undefined,
      executor: ResilienceExecutor | undefined,
      clock: Clock | undefined,
      random: Random | undefined,
      found?: ExecutionHistory,
    ) => {
      if (executor === undefined || clock === undefined) return refuseAlone('ResilienceMcpModule');
      const store = token === undefined ? (history as ExecutionHistory | undefined) : found;
      const mcp = located('ResilienceMcpModule.forRoot', () => {
        const { allowControl, calls } = options;
        const own = { circuitBreakers, shields, clock, random, history: store, allowControl };
        return new ReliabilityMcp({ ...calls, ...own, readOnly: calls === undefined });
      });
      // The application fills its own store by itself.
      const endObserving = store === undefined ? executor.observe(mcp.onReport) : () => undefined;
      return new McpSite({ mcp, clock, isOpen: guards.length === 0, endObserving });
    },
  };
}
