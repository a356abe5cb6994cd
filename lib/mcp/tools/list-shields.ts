import * as z from 'zod/v4';
import { seconds } from '../../report/explain.js';
import type { ShieldRegistry } from '../../shield/shield-registry.js';
import type { ShieldSnapshot } from '../../shield/shield-snapshot.js';
import { READS } from './breaker-tools.js';
import { defineTool, type Tool } from './tool.js';

const shield = z.object({
  name: z.string(),
  profile: z.string(),
  engaged: z.boolean().describe('Whether a slow-down has switched the limiter on'),
  rate: z.number().describe('Calls per second that the limiter lets through while it is on'),
  wMax: z.number(),
  maxRate: z.number().nullable(),
  waiting: z.int(),
  budget: z.int().describe('Retries that may be taken'),
  budgetCapacity: z.number(),
  timeoutSeconds: z.number().describe('What an attempt that begins now may take'),
  samples: z.int(),
  p50Seconds: z.number().nullable(),
  p95Seconds: z.number().nullable(),
});

export function listShields(shields: ShieldRegistry): Tool {
  return defineTool({
    name: 'list_shields',
    title: 'List shields',
    description:
      'All shields of the application: whether each slows calls down, by how much, and its timeouts.',
    annotations: READS,
    input: z.strictObject({}),
    output: z.object({ shields: z.array(shield) }),
    run: () => {
      const all = shields.list().map((one) => one.snapshot());
      return { structured: { shields: all }, texts: [all.map(tell).join('\n') || 'there is no shield'] };
    },
  });
}

function tell({
  name,
  engaged,
  rate,
  waiting,
  budget,
  budgetCapacity,
  timeoutSeconds,
}: ShieldSnapshot): string {
  const limiter = engaged ? `slowed down to ${Number(rate.toFixed(2))} calls a second` : 'not slowed down';
  return `${name}: ${limiter}, ${waiting} waiting, ${budget} of ${budgetCapacity} retries left, timeout ${seconds(timeoutSeconds)}`;
}
