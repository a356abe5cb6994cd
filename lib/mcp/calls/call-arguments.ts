import * as z from 'zod/v4';
import { knownBreaker, MOST_COST } from '../breakers/definition.js';

const seconds = (least: number, most: number) => z.number().min(least).max(most);

/** Arguments of `reliable_http_call`. */
export const callArguments = z.strictObject({
  breaker: knownBreaker.describe('The breaker of the dependency, made with create_breaker'),
  url: z
    .string()
    .max(8_192)
    .describe('An http or https URL on a host that the user of this server has listed'),
  method: z
    .enum(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST', 'PATCH'])
    .default('GET')
    .describe('POST and PATCH are sent once, unless there is an idempotencyKey'),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe('Headers of the request. Secrets do not belong here: the user of this server configures them'),
  body: z
    .unknown()
    .optional()
    .describe('The body: text as it is, anything else as JSON. Not for GET and HEAD'),
  idempotencyKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'give 1 to 200 visible ASCII letters without spaces')
    .optional()
    .describe(
      'A key that the provider honours, sent as Idempotency-Key: with it a POST or PATCH may be repeated safely',
    ),
  timeoutSeconds: seconds(0.001, 300).default(8).describe('The longest time of each attempt, body included'),
  deadlineSeconds: seconds(0.002, 900)
    .default(50)
    .describe('The longest time of the whole call, waits included; longer than timeoutSeconds'),
  maxAttempts: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe('Attempts at most, the first included. Default 5; 1 for what is not safe to repeat'),
  baseDelaySeconds: seconds(0, 60).default(0.2).describe('How long to wait before the first retry'),
  maxDelaySeconds: seconds(0, 300).default(30).describe('No wait of the back-off is longer'),
  factor: z.number().min(1).max(10).default(2).describe('How much longer each wait is than the one before'),
  jitter: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('How far each wait may be from its plan: 0.1 is 10 %'),
  expect: z
    .strictObject({
      status: z
        .array(z.int().min(200).max(599))
        .min(1)
        .max(20)
        .optional()
        .describe('Statuses that are a success'),
      json: z.boolean().optional().describe('The body must be JSON'),
      pointers: z
        .array(
          z
            .string()
            .max(200)
            .regex(/^(?:\/[^/]*)+$/, 'give a JSON Pointer such as "/data/id"'),
        )
        .max(20)
        .optional()
        .describe('Places in the JSON, as JSON Pointers, that must be there'),
    })
    .default({})
    .describe('What a good answer is. Default: a status below 400. A bad one is a failure, and retried'),
  fallback: z.unknown().optional().describe('The value to give while the breaker is open, without a request'),
  fallbackOn: z
    .enum(['open', 'failure'])
    .default('open')
    .describe('"failure": the fallback also stands in when all attempts failed'),
  cost: z
    .number()
    .min(0)
    .max(MOST_COST)
    .optional()
    .describe('What an answer costs of the budget of the breaker, where its JSON does not say. Default 1'),
  maxBodyBytes: z
    .int()
    .min(0)
    .max(1_048_576)
    .default(32_768)
    .describe('How much of the body comes back; the rest is cut, with a mark'),
});

export type CallArguments = z.output<typeof callArguments>;
