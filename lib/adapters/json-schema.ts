import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { checkFunction, checkName, checkOptions, refuse } from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { isPromiseLike } from '../policies/validation/promise-like.js';
import { cut, shortReason } from '../policies/validation/short-reason.js';
import { ValidationResult } from '../policies/validation/validation-result.js';
import type { Validator } from '../policies/validation/validator.js';

/** The part of Ajv that is needed here, whichever its draft. */
export interface AjvLike {
  // A method on purpose: Ajv's own takes schemas of a narrower type.
  compile(schema: any): CompiledSchema;
}

interface CompiledSchema {
  (value: unknown): unknown;
  readonly errors?: readonly SchemaProblem[] | null | undefined;
}

interface SchemaProblem {
  readonly instancePath: string;
  readonly message?: string | undefined;
}

/** Options of {@link jsonSchema}. */
export interface JsonSchemaOptions {
  /** Default `'json-schema'`. */
  readonly name?: string | undefined;
  /** An Ajv of the application's own, for other drafts, keywords, formats or references. Default: one by `$schema`. */
  readonly ajv?: AjvLike | undefined;
}

/** `allErrors`, so that a reason tells more than the first problem. Nothing that would change a value. */
const SETTINGS = {
  allErrors: true,
  formats: fullFormats,
  logger: false,
  strictTypes: false,
  strictTuples: false,
} as const;

const DRAFTS: Readonly<Record<string, () => AjvLike>> = {
  'http://json-schema.org/draft-07/schema': () => new Ajv(SETTINGS),
  'https://json-schema.org/draft/2019-09/schema': () => new Ajv2019(SETTINGS),
  'https://json-schema.org/draft/2020-12/schema': () => new Ajv2020(SETTINGS),
};
const [DRAFT_07 = ''] = Object.keys(DRAFTS);

/**
 * A validator from a JSON Schema. Its draft is that of `$schema`, draft 07 without; formats are checked; no reference
 * is loaded from anywhere. The value is judged as it is and never changed. Reasons hold places and rules, no values.
 * @throws {ConfigurationError} for a schema that cannot be compiled, or is of another draft.
 */
export function jsonSchema(schema: object | boolean, options: JsonSchemaOptions = {}): Validator<unknown> {
  checkOptions('jsonSchema', options, ['name', 'ajv']);
  const name = options.name === undefined ? 'json-schema' : checkName('name', options.name);
  if (options.ajv !== undefined)
    checkFunction('ajv.compile', (options.ajv as Partial<AjvLike> | null)?.compile);
  const judge = compile(schema, options.ajv);
  const rejected = (problems: readonly SchemaProblem[] | null | undefined): ValidationResult =>
    ValidationResult.failure(name, shortReason(problems ?? [], tell));
  return {
    name,
    validate: (value) => {
      const accepted = judge(value);
      if (!isPromiseLike(accepted))
        return accepted === false ? rejected(judge.errors) : ValidationResult.success(name);
      return accepted.then(
        () => ValidationResult.success(name),
        // Only a schema with `$async` answers so, and fails with its problems.
        (error: unknown) => rejected(problemsIn(error)),
      );
    },
  };
}

function compile(schema: unknown, ajv: AjvLike | undefined): CompiledSchema {
  const isSchema = typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null);
  if (!isSchema || Array.isArray(schema)) refuse('schema', schema, 'give a JSON Schema, which is an object');
  const [judge, meant] = ajv === undefined ? ajvFor(schema) : [ajv, schema];
  try {
    return judge.compile(meant);
  } catch (error) {
    const problem = `cannot be compiled (${cut(error instanceof Error ? error.message : 'no reason given')})`;
    const cure = 'correct it, put what it refers to into it, or give an ajv that knows what it uses';
    throw new ConfigurationError({ option: 'schema', problem, cure });
  }
}

/** The Ajv of the draft, and the schema with the name of the draft as that Ajv knows it. */
function ajvFor(schema: boolean | object): [AjvLike, boolean | object] {
  if (typeof schema === 'boolean') return [new Ajv(SETTINGS), schema];
  const { $schema = DRAFT_07 } = schema as { $schema?: unknown };
  const plain = typeof $schema === 'string' ? $schema.replace(/#$/, '') : '';
  const draft = Object.keys(DRAFTS).find((uri) => withoutScheme(uri) === withoutScheme(plain));
  if (draft === undefined) {
    throw new ConfigurationError({
      option: 'schema.$schema',
      problem: 'is not a draft that is known here',
      cure: `give one of ${Object.keys(DRAFTS).join(', ')}, or an ajv that knows it`,
    });
  }
  return [(DRAFTS[draft] as () => AjvLike)(), { ...schema, $schema: draft }];
}

function withoutScheme(uri: string): string {
  return uri.replace(/^https?:/, '');
}

function problemsIn(error: unknown): readonly SchemaProblem[] {
  const { errors } = (error ?? {}) as { errors?: unknown };
  if (Array.isArray(errors)) return errors as readonly SchemaProblem[];
  throw error;
}

function tell({ instancePath, message = 'is not valid' }: SchemaProblem): string {
  return `${instancePath === '' ? 'the value' : instancePath} ${message}`;
}
