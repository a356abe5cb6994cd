import { describe, expect, it } from '@jest/globals';
import { Controller, Inject, Injectable, Module, Scope, type ModuleMetadata } from '@nestjs/common';
import type { AnyEvent, EventSink } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { RESILIENCE_EXECUTOR, ResilienceState } from '../../nest-module/index.js';
import { NestHost } from '../../nest-module/nest-host.js';
import { start } from '../nest/support.js';
import { circuitBreakers, onClock, PaymentsClient, scene } from './support.js';

/** An application in which nobody injects the state. */
async function unwatched() {
  const clock = new FakeClock();
  const app = await start({ providers: [PaymentsClient] }, { circuitBreakers }, onClock(clock));
  return { clock, app, observers: app.get(NestHost).observers, client: app.get(PaymentsClient) };
}

@Injectable()
class ByConstructor {
  constructor(@Inject(ResilienceState) readonly state: ResilienceState) {}
}

@Injectable()
class ByProperty {
  @Inject(ResilienceState) readonly state!: ResilienceState;
}

@Controller()
class ByController extends ByConstructor {}

@Module({})
class ByModule {
  constructor(@Inject(ResilienceState) readonly state: ResilienceState) {}
}

describe('counting', () => {
  it('costs nothing while nobody injects the state or asks it, and begins at the first question', async () => {
    const { clock, app, observers, client } = await unwatched();
    await client.charge();
    expect(observers).toHaveLength(0);
    await clock.advance(5);
    const state = app.get(ResilienceState);
    expect(observers).toHaveLength(0);
    expect(state.snapshot()).toMatchObject({
      started_at: '2026-01-01T00:00:00.000Z',
      counted_since: '2026-01-01T00:00:05.000Z',
      executions: [],
    });
    await client.charge();
    expect(state.operation('PaymentsClient.charge').counts.calls).toBe(1);
    expect(observers).toHaveLength(1);
  });

  it('notes the very change that the first question makes', async () => {
    const { app } = await unwatched();
    expect(app.get(ResilienceState).forceOpen('payments', 'maintenance').last_change).toMatchObject({
      by: 'operator',
      reason: 'maintenance',
    });
  });

  it.each([
    ['a constructor', { providers: [ByConstructor] }],
    ['a property', { providers: [ByProperty] }],
    ['a factory', { providers: [{ provide: 'page', inject: [ResilienceState], useFactory: () => 'page' }] }],
    ['another name', { providers: [{ provide: 'state', useExisting: ResilienceState }] }],
    ['a controller', { controllers: [ByController] }],
    ['a module', { imports: [ByModule] }],
  ] satisfies [string, ModuleMetadata][])(
    'begins with the application where %s injects the state',
    async (_where, metadata: ModuleMetadata) => {
      const app = await start(
        { ...metadata, providers: [PaymentsClient, ...(metadata.providers ?? [])] },
        { circuitBreakers },
      );
      expect(app.get(NestHost).observers).toHaveLength(1);
      await app.get(PaymentsClient).charge();
      expect(app.get(ResilienceState).operation('PaymentsClient.charge').counts.calls).toBe(1);
    },
  );

  it('begins with the first request where only something request-scoped injects the state', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      constructor(@Inject(ResilienceState) readonly state: ResilienceState) {}
    }
    const app = await start({ providers: [PaymentsClient, Scoped] }, { circuitBreakers });
    const { state } = await app.resolve(Scoped);
    expect(state).toBe(app.get(ResilienceState));
    state.snapshot();
    expect(app.get(NestHost).observers).toHaveLength(1);
  });

  it('may be watched by a sink: the application starts, and the sink sees it', async () => {
    @Injectable()
    class WatchingSink implements EventSink {
      readonly seen: unknown[] = [];

      constructor(@Inject(ResilienceState) private readonly state: ResilienceState) {}

      emit({ eventType }: AnyEvent): void {
        if (eventType === 'circuit_breaker.opened')
          this.seen.push(this.state.circuitBreaker('payments').state);
      }
    }
    const { app, state, client } = await scene({}, { eventSinks: [WatchingSink] });
    await client.fails(2);
    expect(app.get(WatchingSink).seen).toEqual(['open']);
    expect(state.snapshot().event_sinks).toEqual({ dropped: 0 });
  });

  it('ends with the application; what was counted can still be read', async () => {
    const { app, state, client } = await scene();
    const { observers } = app.get(NestHost);
    await client.charge();
    await app.close();
    expect(observers).toHaveLength(0);
    state.forceOpen('payments', 'too late to be noted');
    expect(state.snapshot()).toMatchObject({
      executions: [{ status: 'succeeded' }],
      circuit_breaker_changes: [],
    });
  });

  it('does not begin after the end', async () => {
    const { app, observers } = await unwatched();
    const state = app.get(ResilienceState);
    await app.close();
    expect(state.operations()).toMatchObject([{ operation_name: 'PaymentsClient.charge' }]);
    expect(observers).toHaveLength(0);
  });

  it('does without the executor where a test has put something else in its place', async () => {
    const app = await start({ providers: [PaymentsClient] }, { circuitBreakers }, (builder) =>
      builder.overrideProvider(RESILIENCE_EXECUTOR).useValue({}),
    );
    const state = app.get(ResilienceState);
    expect(state.operations()).toEqual([]);
    expect(state.circuitBreakers()).toHaveLength(2);
  });
});
