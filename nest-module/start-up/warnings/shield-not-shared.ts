import { Shield } from '../../../lib/index.js';
import { guardsOf } from '../../guards-of.js';
import type { FoundOperation } from '../found-operation.js';
import type { Finder } from './warning.js';

/** Methods whose decorators make a shield of one name, which looks as if it were one shield. */
export const shieldsNotShared: Finder = ({ operations }) => {
  const byName = new Map<string, Map<Shield, string>>();
  for (const operation of operations) {
    const shield = ownShield(operation);
    if (shield === undefined) continue;
    const ofName = byName.get(shield.name) ?? new Map<Shield, string>();
    byName.set(shield.name, ofName.set(shield, operation.name));
  }
  return [...byName]
    .filter(([, shields]) => shields.size > 1)
    .map(
      ([name, shields]) =>
        `${[...shields.values()].join(' and ')} have a shield each that is named '${name}', so they share neither its rate nor its retries; register it, shields: [{ name: '${name}' }], and give them its name: @Shielded('${name}')`,
    );
};

/** What a decorator makes for its operation alone, neither an object nor a registered one. */
function ownShield({ method, plan }: FoundOperation): Shield | undefined {
  const choice = method.options.shield;
  const shield = guardsOf(plan)?.shield;
  return choice?.isOwn === true && shield instanceof Shield ? shield : undefined;
}
