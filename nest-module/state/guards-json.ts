import type { Guards } from '../../lib/container.js';
import {
  ConcurrencyLimit,
  Shield,
  type ConcurrencyLimitRegistry,
  type ShieldRegistry,
} from '../../lib/index.js';
import type { ConcurrencyLimitJson, ShieldJson } from './state-json.js';
import { usedThings, type Used } from './used-things.js';

/** What guards each operation. */
type GuardsInUse = Iterable<readonly [operationName: string, guards: Guards]>;

export function readShields(registry: ShieldRegistry, guards: GuardsInUse): readonly ShieldJson[] {
  const used = [...guards].flatMap(([name, { shield }]) =>
    shield instanceof Shield ? [[name, shield] as const] : [],
  );
  return usedThings(registry, used).map(shieldJson);
}

export function readLimits(
  registry: ConcurrencyLimitRegistry,
  guards: GuardsInUse,
): readonly ConcurrencyLimitJson[] {
  const used = [...guards].flatMap(([name, { limit }]) =>
    limit instanceof ConcurrencyLimit ? [[name, limit] as const] : [],
  );
  return usedThings(registry, used).map(limitJson);
}

function shieldJson({ thing, name, operations }: Used<Shield>): ShieldJson {
  const snapshot = thing.snapshot();
  return {
    name,
    profile: snapshot.profile,
    engaged: snapshot.engaged,
    rate: snapshot.rate,
    w_max: snapshot.wMax,
    max_rate: snapshot.maxRate,
    waiting: snapshot.waiting,
    budget: snapshot.budget,
    budget_capacity: snapshot.budgetCapacity,
    timeout_seconds: snapshot.timeoutSeconds,
    samples: snapshot.samples,
    p50_seconds: snapshot.p50Seconds,
    p95_seconds: snapshot.p95Seconds,
    operations,
  };
}

function limitJson({ thing, name, operations }: Used<ConcurrencyLimit>): ConcurrencyLimitJson {
  const snapshot = thing.snapshot();
  return {
    name,
    max_concurrent: snapshot.maxConcurrent,
    running: snapshot.running,
    waiting: snapshot.waiting,
    queue_size: snapshot.queueSize,
    max_wait_seconds: snapshot.maxWaitSeconds,
    refused: snapshot.refused,
    operations,
  };
}
