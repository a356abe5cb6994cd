import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { SqliteEventStoreSchemaError } from '../../lib/adapters/sqlite.js';
import * as core from '../../lib/index.js';
import type { RelPrimError } from '../../lib/index.js';
import { HELP } from '../../lib/mcp/cli/help.js';
import { ownProblem, tooManyRequests } from '../../nest-module/filters/problem.js';
import { connect } from '../mcp/support.js';

const ROOT = join(import.meta.dirname, '../..');

/** Names that are promised and stand in no typing of a door, or stand there without what they are about: lines by section. */
export type Sections = Readonly<Record<string, readonly string[]>>;

/** `attempt.started: attempt_number, max_attempts`, a `?` where a key is not always there. By the compiler. */
export function wireKeysOfTypes(): Sections {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), { types: ['node'] }, host);
  const path = join(ROOT, 'lib/index.ts');
  const program = ts.createProgram([path], config?.options ?? {});
  const checker = program.getTypeChecker();
  const door = checker.getSymbolAtLocation(program.getSourceFile(path) as ts.Node) as ts.Symbol;
  const exported = new Map(checker.getExportsOfModule(door).map((symbol) => [symbol.name, symbol]));
  const typeOf = (name: string): ts.Type =>
    checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(exported.get(name) as ts.Symbol));
  const keysOf = (type: ts.Type): string[] =>
    checker
      .getPropertiesOfType(type)
      .map(({ name, flags }) => `${name}${flags & ts.SymbolFlags.Optional ? '?' : ''}`)
      .sort();
  const events = checker.getPropertiesOfType(typeOf('EventPayloads')).map((event) => {
    const payload = checker.getTypeOfSymbol(event);
    return line(event.name, keysOf(payload));
  });
  return {
    'types of events, with the keys of their payloads': events.sort(),
    'keys of metadata': ['AttemptMetadata', 'ReportMetadata'].map((name) => line(name, keysOf(typeOf(name)))),
  };
}

/** What the objects themselves write. */
export function wireKeysOfObjects(): Sections {
  const startedAt = new Date(0);
  const timing = { startedAt, durationSeconds: 0 };
  const error = new core.ExecutionError({ type: 'Error', message: 'no' });
  const attempt = new core.ExecutionAttempt({ attemptNumber: 1, status: 'failed', ...timing, error });
  const report = new core.ExecutionReport({
    operationName: 'op',
    status: 'failed',
    ...timing,
    attempts: [attempt],
  });
  const payload = { attempt_number: 1, max_attempts: 1 };
  const event = { eventType: 'attempt.started', operationName: 'op', timestamp: startedAt, payload } as const;
  return {
    'keys of JSON forms': Object.entries({
      report,
      attempt,
      error,
      result: new core.OperationResult(1, { report }),
      event: new core.StructuredEvent(event),
      'circuit breaker': new core.CircuitBreaker(),
      'validation result': core.ValidationResult.success('v'),
    }).map(([name, of]) => line(name, Object.keys(JSON.parse(JSON.stringify(of)) as object).sort())),
  };
}

interface Fault {
  readonly name: string;
  readonly code: string;
}

export function errors(): Sections {
  const classes = [...Object.values(core), SqliteEventStoreSchemaError].filter(
    (value) => typeof value === 'function' && value.prototype instanceof Error,
  ) as { readonly name: string; readonly prototype: Fault }[];
  const lines = classes.map(({ name, prototype }) => {
    const parent = (Object.getPrototypeOf(prototype) as Fault).name;
    if (prototype.name !== name) throw new Error(`${name} calls itself ${prototype.name}`);
    return `${name}: ${prototype.code}, is a ${parent}`;
  });
  const problems = classes.flatMap(({ prototype: { code } }) => {
    const problem = ownProblem({ code } as RelPrimError);
    return problem === undefined ? [] : [`${code}: ${problem.body.status} ${problem.body.type}`];
  });
  const { body } = tooManyRequests(undefined);
  return {
    'classes of errors, with their codes': lines.sort(),
    'errors over HTTP': [...problems, `${body.code}: ${body.status} ${body.type}`].sort(),
    'keys of a problem': [Object.keys(body).sort().join(', ')],
  };
}

/** What agents see. */
export async function mcp(): Promise<Sections> {
  const { client } = await connect({ allowControl: true, shields: new core.ShieldRegistry() });
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resourceTemplates } = await client.listResourceTemplates();
  const words = ({ properties = {}, required = [] }: Schema): string[] =>
    Object.keys(properties)
      .map((name) => `${name}${required.includes(name) ? '' : '?'}`)
      .sort();
  return {
    'tools for agents, what they take and what they give': tools.map(
      ({ name, inputSchema, outputSchema = {} }) =>
        `${line(name, words(inputSchema as Schema))} → ${words(outputSchema as Schema).join(', ')}`,
    ),
    'prompts and resources for agents': [
      ...prompts.map(({ name, arguments: taken = [] }) =>
        line(
          name,
          taken.map((argument) => argument.name),
        ),
      ),
      ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ],
    'options of the command relprim-mcp': [...new Set(HELP.match(/--[a-z-]+/g))].sort(),
  };
}

interface Schema {
  readonly properties?: object;
  readonly required?: readonly string[];
}

/** Fixed texts of the sources that begin with our name: symbols, tokens, codes, variables, telemetry, names in Redis. */
export function textsOfSources(): Sections {
  const found = new Set<string>();
  const slots = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || node.kind === ts.SyntaxKind.TemplateHead)
      found.add((node as ts.StringLiteralLike).text);
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'globalSlot'
    )
      slots.add(`relprim/${(node.arguments[0] as ts.StringLiteral).text}@1`);
    ts.forEachChild(node, visit);
  };
  for (const path of sources()) {
    const text = ts.sys.readFile(path) as string;
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext));
  }
  const matching = (pattern: RegExp): string[] => [...found].filter((text) => pattern.test(text)).sort();
  return {
    'symbols and tokens': [...matching(/^relprim\/[a-z-]+:?$/), ...[...slots].sort()],
    'codes and variables': matching(/^RELPRIM(_[A-Z_]+)?$/),
    'names in telemetry': matching(/^relprim\.[a-z_.]*$/),
    'names in Redis': matching(/^relprim:[a-z-]+:$/),
    'types of problems': matching(/^urn:relprim:/),
  };
}

function sources(): string[] {
  return ['lib', 'nest-module'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(ROOT, folder, name)),
  );
}

function line(name: string, words: readonly string[]): string {
  return `${name}: ${words.join(', ')}`;
}
