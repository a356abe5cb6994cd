import * as z from 'zod/v4';

/** Names stand in URIs and in the names of operations, so they are plain. */
const breakerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'give 1 to 64 letters, digits, dots, underscores or hyphens')
  .describe('The name of the breaker: one for each dependency, such as "openai" or "billing-api"');

/** The name of a breaker that is there; an application may name its own as it likes. */
export const knownBreaker = z
  .string()
  .min(1)
  .max(200)
  .describe('The name of a breaker; list_breakers has all');

const seconds = (least: number, most: number) => z.number().min(least).max(most);

/** Sums of such costs never reach infinity, whatever an upstream makes up. */
export const MOST_COST = 1e15;

/** Arguments of `create_breaker`: reliablekit's words, and its values. */
export const breakerDefinition = z
  .strictObject({
    name: breakerName,
    failureRate: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .describe('It opens when this share of the calls in the window failed'),
    window: z.int().min(1).max(10_000).default(20).describe('How many of the latest calls are judged'),
    minimumCalls: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('With fewer calls in the window nothing is judged. Default: the window, at most 10'),
    cooldownSeconds: seconds(0.01, 86_400)
      .default(30)
      .describe('How long it stays open before a probe may pass'),
    probe: z
      .int()
      .min(1)
      .max(1_000)
      .default(3)
      .describe('How many probes in a row must succeed before it closes'),
    concurrentProbes: z.int().min(1).max(1_000).default(1).describe('How many probes may run at a time'),
    budget: z
      .strictObject({
        limit: z.number().gt(0).max(MOST_COST).describe('The most that may be spent in a period'),
        perSeconds: seconds(1, 2_678_400).describe('The length of the period'),
        costPointer: z
          .string()
          .max(200)
          .regex(/^(?:\/[^/]*)+$/, 'give a JSON Pointer such as "/usage/total_tokens"')
          .optional()
          .describe(
            'Where the JSON of an answer says what the call has cost, as "/usage/total_tokens". ' +
              'Without it each call says its cost itself, or counts as 1',
          ),
      })
      .optional()
      .describe('What calls may cost in a period, in tokens or money: it opens when that is spent'),
  })
  .refine(({ minimumCalls = 1, window }) => minimumCalls <= window, {
    path: ['minimumCalls'],
    message: 'give at most the size of the window',
  });

export type BreakerDefinition = z.output<typeof breakerDefinition>;
