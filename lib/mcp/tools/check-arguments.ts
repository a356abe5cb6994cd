import type * as z from 'zod/v4';
import { nearest } from '../../errors/nearest.js';
import { ArgumentError } from './argument-error.js';

const MOST_TOLD = 5;
/** Names in arguments are as long as their author likes. */
const LONGEST_NAME = 60;

/** The arguments with their defaults. @throws {ArgumentError} that tells what is wrong with which, never a value. */
export function checkArguments<S extends z.ZodObject>(schema: S, args: unknown): z.output<S> {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const told = parsed.error.issues.slice(0, MOST_TOLD).map((issue) => tell(issue, Object.keys(schema.shape)));
  const more = parsed.error.issues.length - told.length;
  throw new ArgumentError(`${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
}

function tell(issue: z.core.$ZodIssue, known: readonly string[]): string {
  const place = issue.path.map((step) => String(step).slice(0, LONGEST_NAME)).join('.');
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const meant = place === '' ? nearest(key.slice(0, LONGEST_NAME), known) : undefined;
    const where = place === '' ? '' : `${place}: `;
    const cure = meant === undefined ? 'leave it out' : `did you mean ${meant}?`;
    return `${where}${JSON.stringify(key.slice(0, LONGEST_NAME))} is no argument here; ${cure}`;
  }
  return `${place === '' ? 'the arguments' : place}: ${issue.message}`;
}
