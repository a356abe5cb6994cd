import * as z from 'zod/v4';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { HistoryError } from '../history/read-reports.js';
import { TargetRefusedError } from '../hosts/target.js';
import { ArgumentError } from './argument-error.js';
import { checkArguments } from './check-arguments.js';

/** What a tool is told beside its arguments. */
export interface CallContext {
  /** Aborts when the client gives the call up. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is; `undefined` where it did not ask. */
  readonly progress: ((progress: number, total: number, message: string) => void) | undefined;
}

/** What a tool says of itself to clients. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a tool found: for programs, and the same as text for people and models. */
export interface ToolAnswer<S> {
  readonly structured: S;
  readonly texts: readonly string[];
  readonly isError?: boolean;
}

export interface ToolResult {
  readonly structuredContent?: Record<string, unknown>;
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
  readonly [other: string]: unknown;
}

interface Definition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: I;
  readonly output: O;
  run(args: z.output<I>, context: CallContext): ToolAnswer<z.input<O>> | Promise<ToolAnswer<z.input<O>>>;
}

export interface Tool {
  readonly name: string;
  /** As `tools/list` gives it. */
  listing(): ToolListing;
  call(args: unknown, context: CallContext): Promise<ToolResult>;
}

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
}

export interface ObjectSchema {
  readonly type: 'object';
  readonly [key: string]: unknown;
}

export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(definition: Definition<I, O>): Tool {
  const { name, title, description, annotations, input, output } = definition;
  return {
    name,
    listing: () => ({
      name,
      title,
      description,
      annotations: { ...annotations },
      inputSchema: jsonSchemaOf(input, 'input'),
      outputSchema: jsonSchemaOf(output, 'output'),
    }),
    call: async (args, context) => {
      try {
        const answer = await definition.run(checkArguments(input, args), context);
        return asResult(answer);
      } catch (error) {
        if (isMistake(error)) return mistake(`${name}: ${error.message}`);
        throw error;
      }
    },
  };
}

function asResult({ structured, texts, isError }: ToolAnswer<Record<string, unknown>>): ToolResult {
  return {
    structuredContent: structured,
    content: texts.map((text) => ({ type: 'text', text })),
    ...(isError === true && { isError }),
  };
}

/** A mistake is a result and not an error of the protocol, so that the model reads it and can do better. */
function mistake(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function isMistake(error: unknown): error is Error {
  return (
    error instanceof ArgumentError ||
    error instanceof HistoryError ||
    error instanceof TargetRefusedError ||
    error instanceof ConfigurationError
  );
}

function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  return z.toJSONSchema(schema, { target: 'draft-7', io }) as unknown as ObjectSchema;
}
