import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import { ConfigurationError, type Backoff } from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';

/** Time, chance and an executor of its own, as a container would give them to the instances that it makes. */
export class World {
  readonly clock = new FakeClock();
  readonly random = seededRandom(7);
  private readonly executor = new MethodExecutor(new StandaloneHost(this));

  /** The decorated methods of this instance run in this world from now on. */
  adopt<T extends object>(instance: T): T {
    bindHandle(instance, { current: this.executor });
    return instance;
  }
}

/** Retries at once, so that no time has to pass. */
export const noWait: Backoff = { delayForRetry: () => 0 };

let standard = false;
class Probe {
  @((_target: unknown, place: unknown) => void (standard = typeof place === 'object'))
  method(): void {}
}
void Probe;

/** Whether this run is compiled with standard decorators. */
export const standardDecorators: boolean = standard;

/** Where a mistake is said to stand; a standard decorator runs before its class has a name. */
export function placeOf(className: string, member: string): string {
  return standardDecorators ? member : `${className}.${member}`;
}

/** The mistake that the function is refused for. */
export function mistakeOf(build: () => unknown): ConfigurationError {
  try {
    build();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** What a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const fulfilled = Symbol('fulfilled');
  const outcome = await promise.then(
    () => fulfilled,
    (error: unknown) => error,
  );
  if (outcome === fulfilled) throw new Error('the promise was fulfilled');
  return outcome;
}
