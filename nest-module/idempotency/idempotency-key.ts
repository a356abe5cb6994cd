import {
  BadRequestException,
  createParamDecorator,
  Inject,
  Injectable,
  Optional,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { checkFunction, checkName, checkOptions, located } from '../../lib/container.js';
import { ConfigurationError, MisuseError } from '../../lib/index.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from '../resolved-options.js';
import { readKeyHeader } from './read-key-header.js';

/** Finds who makes an HTTP request, such as the id of the user: keys of different callers never meet. */
export type CallerOf = (request: any) => string;

/** Options of {@link IdempotencyKey}. */
export interface IdempotencyKeyOptions {
  /** Finds who makes the request. Default: `idempotencyKeyScope` of the module. */
  readonly scope?: CallerOf | undefined;
  /** The header that the key is in. Default `'Idempotency-Key'`. */
  readonly header?: string | undefined;
}

/** What the parameter holds before it is a key. */
interface Asked {
  readonly request: { readonly headers: Readonly<Record<string, unknown>> };
  readonly options: IdempotencyKeyOptions;
}

/** Reads the key where the decorator itself says who the caller is. */
class KeyPipe implements PipeTransform<Asked, string> {
  transform({ request, options }: Asked): string {
    return scopedKey(request, options, options.scope as CallerOf);
  }
}

/** Reads the key where the module says who the caller is. */
@Injectable()
class ModuleKeyPipe implements PipeTransform<Asked, string> {
  private readonly scope: CallerOf;

  /** @throws {ConfigurationError} when the application starts, where nobody says it. */
  constructor(@Optional() @Inject(RESILIENCE_OPTIONS) options?: ResolvedOptions) {
    if (options?.idempotencyKeyScope === undefined)
      throw new ConfigurationError({
        option: '@IdempotencyKey()',
        problem: 'does not know the caller, so that one caller could be given the answer of another',
        cure: 'give @IdempotencyKey({ scope: (request) => … }), or ResilienceModule.forRoot({ idempotencyKeyScope: (request) => … })',
      });
    this.scope = options.idempotencyKeyScope;
  }

  transform({ request, options }: Asked): string {
    return scopedKey(request, options, this.scope);
  }
}

const RawKey = createParamDecorator((options: IdempotencyKeyOptions, context: ExecutionContext): Asked => {
  if (context.getType() !== 'http')
    throw new MisuseError('@IdempotencyKey() reads a header of an HTTP request, and this is none');
  return { request: context.switchToHttp().getRequest(), options };
});

/**
 * The idempotency key of an HTTP request, for a parameter of a route: the header `Idempotency-Key`, together with who
 * sent it. A request without a key, or with one that is none, is answered with 400.
 * @throws {ConfigurationError} when the application starts and nobody says who the caller is.
 */
export function IdempotencyKey(options: IdempotencyKeyOptions = {}): ParameterDecorator {
  located('@IdempotencyKey()', () => {
    checkOptions('options', options, ['scope', 'header']);
    if (options.scope !== undefined) checkFunction('scope', options.scope);
    if (options.header !== undefined) checkName('header', options.header);
  });
  return options.scope === undefined ? RawKey(options, ModuleKeyPipe) : RawKey(options, KeyPipe);
}

function scopedKey(
  request: Asked['request'],
  { header = 'Idempotency-Key' }: IdempotencyKeyOptions,
  scope: CallerOf,
): string {
  const found = readKeyHeader(request.headers[header.toLowerCase()]);
  if ('problem' in found) throw badRequest(header, found.problem);
  const caller: unknown = scope(request);
  if (typeof caller !== 'string' || caller.trim() === '')
    throw new MisuseError(
      'the scope of @IdempotencyKey() must find a text that names the caller of a request',
    );
  // The first colon ends the caller, whatever both consist of.
  return `${encodeURIComponent(caller)}:${found.key}`;
}

function badRequest(header: string, problem: 'missing' | 'invalid'): BadRequestException {
  return new BadRequestException({
    type: `urn:relprim:problem:idempotency-key-${problem}`,
    title:
      problem === 'missing'
        ? `The header ${header} is missing`
        : `The header ${header} is not one key of at most 255 visible characters`,
    status: 400,
  });
}
