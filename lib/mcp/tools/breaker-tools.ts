import * as z from 'zod/v4';
import type { BreakerBook } from '../breakers/breaker-book.js';
import { breakerStats, tellBreaker } from '../breakers/breaker-stats.js';
import { breakerDefinition, knownBreaker } from '../breakers/definition.js';
import { defineTool, type Tool } from './tool.js';

export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export function createBreaker(book: BreakerBook): Tool {
  return defineTool({
    name: 'create_breaker',
    title: 'Create a circuit breaker',
    description:
      'Makes a named circuit breaker for one dependency, such as an LLM provider or an API. It opens when too many of ' +
      'its calls fail, then nothing is called until the cool-down is over. The same name with the same settings is ' +
      'the same breaker.',
    annotations: { ...READS, readOnlyHint: false },
    input: breakerDefinition,
    output: z.object({ created: z.boolean().describe('Whether it is new'), breaker: breakerStats }),
    run: (definition) => {
      const { created } = book.create(definition);
      const breaker = book.stats(definition.name);
      const headline = created
        ? `made breaker ${definition.name}`
        : `breaker ${definition.name} exists already`;
      return { structured: { created, breaker }, texts: [`${headline}\n${tellBreaker(breaker)}`] };
    },
  });
}

export function getBreakerState(book: BreakerBook): Tool {
  return defineTool({
    name: 'get_breaker_state',
    title: 'State of a circuit breaker',
    description:
      'The state and the numbers of one breaker: whether it is closed, open or half-open, why, and when a call may ' +
      'pass again. Looking changes nothing.',
    annotations: READS,
    input: z.strictObject({ name: knownBreaker }),
    output: breakerStats,
    run: ({ name }) => {
      const stats = book.stats(name);
      return { structured: stats, texts: [tellBreaker(stats)] };
    },
  });
}

export function listBreakers(book: BreakerBook): Tool {
  return defineTool({
    name: 'list_breakers',
    title: 'List circuit breakers',
    description: 'All breakers of this server with their states and numbers.',
    annotations: READS,
    input: z.strictObject({}),
    output: z.object({ breakers: z.array(breakerStats) }),
    run: () => {
      const breakers = book.names().map((name) => book.stats(name));
      const text = breakers.length === 0 ? 'there is no breaker yet' : breakers.map(tellBreaker).join('\n');
      return { structured: { breakers }, texts: [text] };
    },
  });
}
