import type { CallProbe } from '../events/call-probe.js';
import type { EventEmitter } from '../events/event-emitter.js';
import { errorType } from '../report/execution-error.js';

/** What surrounds something of the call, and what is only told of it. */
type Around = 'launch' | 'invoke';
type Teller = (first: any, second?: any) => void;
type Surround = (call: any, run: () => unknown) => unknown;

/** The probes of emitters as one; `undefined` without any, and without the methods that none has. */
export function joinProbes(
  emitters: readonly EventEmitter[],
  warn: (message: string) => void,
): CallProbe | undefined {
  // A test may have put something simpler in an emitter's place.
  const all = emitters.flatMap((emitter) => (emitter as Partial<EventEmitter>).probes ?? []);
  const probes = [...new Set(all)];
  if (probes.length === 0) return undefined;
  const teller = (name: Exclude<keyof CallProbe, Around>) => tellAll(probes, name, warn);
  return {
    launch: nest(probes, 'launch') as CallProbe['launch'],
    execute: teller('execute'),
    ask: teller('ask'),
    refuse: teller('refuse'),
    invoke: nest(probes, 'invoke'),
    succeed: teller('succeed'),
    note: teller('note'),
    end: teller('end'),
  };
}

/** The first is the outermost. */
function nest(probes: readonly CallProbe[], name: Around): Surround | undefined {
  const surrounds = methodsOf<Surround>(probes, name);
  if (surrounds.length < 2) return surrounds[0];
  return surrounds.reduceRight((inner, outer) => (call, run) => outer(call, () => inner(call, run)));
}

function tellAll(
  probes: readonly CallProbe[],
  name: Exclude<keyof CallProbe, Around>,
  warn: (message: string) => void,
): Teller | undefined {
  const tellers = methodsOf<Teller>(probes, name);
  if (tellers.length === 0) return undefined;
  let hasWarned = false;
  return (first, second) => {
    for (const tell of tellers) {
      try {
        tell(first, second);
      } catch (error) {
        if (!hasWarned) warn(`what watches calls failed with ${errorType(error)}`);
        hasWarned = true;
      }
    }
  };
}

/** Bound at once: looked up by name in each call, they would cost more than what most of them do. */
function methodsOf<M extends Teller | Surround>(probes: readonly CallProbe[], name: keyof CallProbe): M[] {
  return probes.flatMap((probe) => {
    const method = probe[name] as M | undefined;
    return method === undefined ? [] : [method.bind(probe) as M];
  });
}
