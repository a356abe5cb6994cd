import { checkDuration, checkFunction, checkName, checkOptions, refuse } from '../../errors/check.js';
import { describeValue } from '../../errors/describe-value.js';
import { MisuseError } from '../../errors/misuse-error.js';
import { msToSeconds, type Duration } from '../../time/duration.js';
import { copyData } from './copy-data.js';
import { digest } from './digest.js';
import { isIdempotencyStore, type IdempotencyStore } from './idempotency-store.js';

type Fn = (this: any, ...args: any[]) => string;

/** Options of {@link IdempotencyPolicy}. */
export interface IdempotencyPolicyOptions<K extends Fn = Fn> {
  /** Finds the key of a call, at once: a text that is not blank. Called once a call, however often that is retried. */
  readonly key: K;
  /**
   * Where outcomes are kept. Default: what `idempotencyStore` of a lower layer says, such as the module's `defaults`;
   * else an `InMemoryIdempotencyStore` of the operation in its application.
   */
  readonly store?: IdempotencyStore | undefined;
  /** How long an outcome is kept, from when it came. Default 1 hour. */
  readonly ttl?: Duration | undefined;
  /**
   * Finds a text that stands for the payload of a call, such as its JSON. The same key with another one is an
   * `IdempotencyConflictError`. Default: the key alone decides.
   */
  readonly fingerprint?: ((this: ThisParameterType<K>, ...args: Parameters<K>) => string) | undefined;
  /** What to do while the key is in flight: wait for what comes of it, or refuse. Default `'join'`. */
  readonly onInFlight?: 'join' | 'reject' | undefined;
  /**
   * What the key belongs to, in a store that several operations share: operations with one scope share their keys.
   * Default: the name of the operation.
   */
  readonly scope?: string | undefined;
  /** Whether the value of a fallback is kept, too. `false`: the next call executes again. Default true. */
  readonly cacheFallback?: boolean | undefined;
  /**
   * Copies what is kept and what is given to others than the first caller, so that no caller changes another's value.
   * Default: plain objects, lists, maps, sets, dates and bytes are copied; everything else is shared as it is.
   * `false`: all is shared.
   */
  readonly copy?: false | ((value: any) => unknown) | undefined;
  /** Whether an execution that asks for its own key is refused, rather than waiting for itself. Default true. */
  readonly detectReentry?: boolean | undefined;
  /** Whether reports and errors show the key itself rather than a digest. Default false. */
  readonly exposeKey?: boolean | undefined;
  /** What to do when the store fails before anything runs: fail, or run without protection. Default `'fail'`. */
  readonly onStoreError?: 'fail' | 'run' | undefined;
}

const OPTIONS: readonly (keyof IdempotencyPolicyOptions)[] = [
  'key',
  'store',
  'ttl',
  'fingerprint',
  'onInFlight',
  'scope',
  'cacheFallback',
  'copy',
  'detectReentry',
  'exposeKey',
  'onStoreError',
];

/** One execution for one piece of work: duplicates wait for it, or are given what came of it. */
export class IdempotencyPolicy<out K extends Fn = Fn> {
  readonly key: K;
  readonly store: IdempotencyStore | undefined;
  readonly ttlSeconds: number;
  readonly onInFlight: 'join' | 'reject';
  readonly scope: string | undefined;
  readonly cacheFallback: boolean;
  readonly detectReentry: boolean;
  readonly exposeKey: boolean;
  readonly onStoreError: 'fail' | 'run';
  /** Makes a value that can be changed without changing the other. */
  readonly copy: (value: unknown) => unknown;
  private readonly fingerprint: Fn | undefined;

  /** @throws {ConfigurationError} for a key that is no function, a store that is none, or a `ttl` of 0 or less. */
  constructor(private readonly options: IdempotencyPolicyOptions<K>) {
    checkOptions('idempotency', options, OPTIONS);
    const { key, store, ttl = '1h', fingerprint, scope, copy = copyData } = options;
    const { onInFlight = 'join', onStoreError = 'fail', cacheFallback = true } = options;
    const { detectReentry = true, exposeKey = false } = options;
    this.key = checkFunction('key', key);
    if (store !== undefined && !isIdempotencyStore(store))
      refuse('store', store, 'give an IdempotencyStore, an object with claim()');
    this.store = store;
    this.ttlSeconds = msToSeconds(checkDuration('ttl', ttl));
    this.fingerprint = fingerprint === undefined ? undefined : checkFunction('fingerprint', fingerprint);
    this.scope = scope === undefined ? undefined : checkName('scope', scope);
    this.copy = copy === false ? same : checkFunction('copy', copy);
    this.onInFlight = checkChoice('onInFlight', onInFlight, ['join', 'reject']);
    this.onStoreError = checkChoice('onStoreError', onStoreError, ['fail', 'run']);
    this.cacheFallback = checkSwitch('cacheFallback', cacheFallback);
    this.detectReentry = checkSwitch('detectReentry', detectReentry);
    this.exposeKey = checkSwitch('exposeKey', exposeKey);
  }

  /** @internal The same policy with this store, unless it has one. */
  keptIn(store: IdempotencyStore): IdempotencyPolicy<K> {
    return this.store === undefined ? new IdempotencyPolicy({ ...this.options, store }) : this;
  }

  /** @throws {MisuseError} for a key that is none: a shared one would give one caller the answer of another. */
  keyFor(self: unknown, args: readonly unknown[]): string {
    const key: unknown = this.key.apply(self, args as unknown[]);
    if (typeof key === 'string' && key.trim() !== '') return key;
    return refuseText('the key of a call', key);
  }

  /** @throws {MisuseError} when the function finds no text. */
  fingerprintFor(self: unknown, args: readonly unknown[]): string | undefined {
    if (this.fingerprint === undefined) return undefined;
    const text: unknown = this.fingerprint.apply(self, args as unknown[]);
    return typeof text === 'string' ? digest(text) : refuseText('the fingerprint of a call', text);
  }
}

/** `new IdempotencyPolicy({ key, … })`. */
export function idempotencyPolicy<K extends Fn>(
  key: K,
  options: Omit<IdempotencyPolicyOptions<K>, 'key'> = {},
): IdempotencyPolicy<K> {
  return new IdempotencyPolicy({ ...options, key });
}

function refuseText(what: string, value: unknown): never {
  if (value instanceof Promise) value.catch(() => undefined);
  throw new MisuseError(
    `${what} must be a text that is not blank, found at once; it is ${describeValue(value)}`,
  );
}

function same(value: unknown): unknown {
  return value;
}

function checkChoice<T extends string>(option: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value;
  return refuse(option, value, `give ${choices.map((choice) => `'${choice}'`).join(' or ')}`);
}

function checkSwitch(option: string, value: boolean): boolean {
  return typeof value === 'boolean' ? value : refuse(option, value, 'give true or false');
}
