import { decoratedMethodOf } from '../../../lib/container.js';
import type { Wrapper } from '../decorated-classes.js';
import { dependenciesOf } from '../dependencies.js';
import type { FoundOperation } from '../found-operation.js';
import type { Finder } from './warning.js';

/** One way from call to call along which attempts multiply. */
interface Chain {
  readonly operations: readonly FoundOperation[];
  readonly calls: number;
}

const NOTHING: Chain = { operations: [], calls: 1 };

/**
 * Retries of a class whose dependencies retry, too. Which method calls which is not known, only which class is given
 * which, so this is what one call may become at the most.
 */
export const retriesInsideRetries: Finder = ({ operations }) => {
  const retrying = new Map<Wrapper, FoundOperation>();
  for (const operation of operations) {
    const { wrapper } = operation.decorated;
    const most = retrying.get(wrapper)?.plan.maxAttempts ?? 1;
    if (operation.plan.maxAttempts > most) retrying.set(wrapper, operation);
  }
  const chains = new Map<Wrapper, Chain>();
  const all = [...retrying.keys()].map((wrapper) => longestFrom(wrapper, retrying, chains));
  const inner = new Set(all.flatMap((chain) => chain.operations.slice(1)));
  return [
    ...all
      .filter(
        ({ operations: [first, second] }) => second !== undefined && !inner.has(first as FoundOperation),
      )
      .map(print),
    ...stacked(operations),
  ];
};

/** Two layers on one method. */
function stacked(operations: readonly FoundOperation[]): string[] {
  return operations.flatMap((outer) => {
    if (outer.plan.maxAttempts === 1 || decoratedMethodOf(outer.method.original) === undefined) return [];
    const inner = operations.find(
      (other) => other.method.wrapper === outer.method.original && other.decorated === outer.decorated,
    );
    if (inner === undefined || inner.plan.maxAttempts === 1) return [];
    return [print({ operations: [outer, inner], calls: outer.plan.maxAttempts * inner.plan.maxAttempts })];
  });
}

function longestFrom(
  wrapper: Wrapper,
  retrying: ReadonlyMap<Wrapper, FoundOperation>,
  chains: Map<Wrapper, Chain>,
): Chain {
  const known = chains.get(wrapper);
  if (known !== undefined) return known;
  // Classes may depend on each other; a ring is gone round once.
  chains.set(wrapper, NOTHING);
  let longest = NOTHING;
  for (const dependency of dependenciesOf(wrapper)) {
    const chain = longestFrom(dependency, retrying, chains);
    if (chain.calls > longest.calls) longest = chain;
  }
  const own = retrying.get(wrapper);
  const chain: Chain =
    own === undefined
      ? longest
      : { operations: [own, ...longest.operations], calls: own.plan.maxAttempts * longest.calls };
  chains.set(wrapper, chain);
  return chain;
}

function print({ operations, calls }: Chain): string {
  const [first] = operations;
  const path = operations.map(({ name, plan }) => `${name} (up to ${plan.maxAttempts} attempts)`).join(' > ');
  return `${first?.name} may call its upstream ${calls} times for one call: ${path}; retry in one place, best in the one nearest to the upstream`;
}
