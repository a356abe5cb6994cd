import { checkName, checkOptions, refuse } from '../../errors/check.js';
import { isPromiseLike } from './promise-like.js';
import { shortReason } from './short-reason.js';
import { ValidationResult } from './validation-result.js';
import type { Validator } from './validator.js';

/** The part of the Standard Schema interface, version 1, that is needed here; zod, valibot and arktype have it. */
export interface StandardSchemaLike<Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | PromiseLike<StandardResult>;
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
  };
}

interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Options of {@link standardSchemaValidator}. */
export interface StandardSchemaOptions {
  /** Default: the schema's vendor, as `zod`. */
  readonly name?: string | undefined;
  /** Whether reasons hold the schema's own messages, which may quote the value. Default false: only where it is wrong. */
  readonly messages?: boolean | undefined;
}

/**
 * A validator from any Standard Schema. The value itself is returned to the caller, never the parsed copy.
 * @throws {ConfigurationError} for something that is no Standard Schema of version 1, or a blank name.
 */
export function standardSchemaValidator<T>(
  schema: StandardSchemaLike<T>,
  options: StandardSchemaOptions = {},
): Validator<T> {
  if (!isStandardSchema(schema))
    refuse('schema', schema, 'give a Standard Schema of version 1, such as one of zod, valibot or arktype');
  checkOptions('standardSchemaValidator', options, ['name', 'messages']);
  const standard = schema['~standard'];
  const { messages = false } = options;
  const name = checkName('name', options.name ?? standard.vendor);
  const judge = ({ issues }: StandardResult): ValidationResult =>
    issues === undefined
      ? ValidationResult.success(name)
      : ValidationResult.failure(name, reasonOf(issues, messages));
  return {
    name,
    validate: (value) => {
      const result = standard.validate(value);
      return isPromiseLike(result) ? Promise.resolve(result).then(judge) : judge(result);
    },
  };
}

export function isStandardSchema(value: unknown): value is StandardSchemaLike {
  // arktype's schemas are functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false;
  const standard = value['~standard'] as { version?: unknown; validate?: unknown } | undefined;
  return standard?.version === 1 && typeof standard.validate === 'function';
}

function reasonOf(issues: readonly StandardIssue[], messages: boolean): string {
  return shortReason(issues, (issue) => {
    const place = pathOf(issue);
    return messages ? `${place}: ${issue.message}` : `${place} is not valid`;
  });
}

function pathOf({ path = [] }: StandardIssue): string {
  const keys = Array.from(path, (part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? 'the value' : keys.join('.');
}
