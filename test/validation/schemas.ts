import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import type { StandardSchemaLike } from '../../lib/index.js';

/** The same shape, a user with a positive age, in the words of three libraries. */
export const userSchemas: [vendor: string, schema: StandardSchemaLike][] = [
  [
    'zod',
    z.object({ name: z.string(), address: z.object({ zip: z.string(), floors: z.array(z.number()) }) }),
  ],
  [
    'valibot',
    v.object({ name: v.string(), address: v.object({ zip: v.string(), floors: v.array(v.number()) }) }),
  ],
  ['arktype', type({ name: 'string', address: { zip: 'string', floors: 'number[]' } })],
];

/** Schemas that would give back something else than they were given. */
export const changingSchemas: [what: string, schema: StandardSchemaLike][] = [
  ['zod that strips keys', z.object({ name: z.string() })],
  ['zod that fills in a default', z.object({ name: z.string(), role: z.string().default('user') })],
  ['zod that transforms', z.object({ name: z.string() }).transform((user) => user.name)],
  ['zod that coerces', z.object({ name: z.string(), age: z.coerce.number() })],
  ['valibot that strips keys', v.object({ name: v.string() })],
  ['valibot that transforms', v.pipe(v.object({ name: v.string() }), v.transform((user) => user.name))], // prettier-ignore
  ['arktype that deletes keys', type({ '+': 'delete', name: 'string' })],
  ['arktype that morphs', type({ name: 'string', age: 'string.numeric.parse' })],
];

const isFree = async (name: string): Promise<boolean> => {
  await Promise.resolve();
  return name !== 'taken';
};

/** Schemas that answer later. arktype has none: it is synchronous by design. */
export const asyncSchemas: [vendor: string, schema: StandardSchemaLike][] = [
  ['zod', z.object({ name: z.string().refine(isFree) })],
  ['valibot', v.objectAsync({ name: v.pipeAsync(v.string(), v.checkAsync(isFree)) })],
];

/** A schema by hand, for what no library does. */
export const schemaThat = (validate: (value: unknown) => unknown, vendor = 'hand'): StandardSchemaLike =>
  ({ '~standard': { version: 1, vendor, validate } }) as StandardSchemaLike;
