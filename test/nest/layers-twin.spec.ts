import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeLayers, optionsOf, type OptionLayer } from '../../lib/operation/merge-options.js';
import { OPTION_GROUPS, POLICY_OPTIONS } from '../../lib/operation/options.js';

const STORE = 'idempotencyStore';

/** What the merge must come to, said another way: option by option, from the top down. */
function twin(layers: readonly OptionLayer[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const option of POLICY_OPTIONS) {
    const group = OPTION_GROUPS.find(({ whole, parts }) => whole === option || parts.includes(option));
    const both = group === undefined ? [] : group.whole === option ? group.parts : [group.whole];
    // The store of keys says where, not how, so it neither hides a policy object nor is hidden by one.
    const forms = option === STORE ? [] : both.filter((form) => form !== STORE);
    for (const { options } of [...layers].reverse()) {
      if (options[option] !== undefined) merged[option] = options[option];
      if (options[option] !== undefined || forms.some((form) => options[form] !== undefined)) break;
    }
  }
  return merged;
}

/** Where every value is different, it is known where each went. */
let values = 0;
const value = fc.constantFrom(false, 0, 'value', 'value', 'value').map((kind) => {
  values += 1;
  return kind === 'value' ? `value ${values}` : kind;
});

/** Options as one layer may give them: of each group the whole or parts of it, and some of them `undefined`. */
const optionsOfLayer = fc
  .dictionary(fc.constantFrom(...POLICY_OPTIONS), fc.option(value, { nil: undefined, freq: 3 }), {
    maxKeys: POLICY_OPTIONS.length,
  })
  .map((options) => {
    const given = { ...options };
    for (const { whole, parts } of OPTION_GROUPS)
      if (given[whole] !== undefined) for (const part of parts) delete given[part];
    return given;
  });

const FROM = ['defaults', "policy 'p'", 'decorator', 'operations'];
const layers = fc
  .array(optionsOfLayer, { maxLength: FROM.length })
  .map((list) => list.map((options, index) => ({ from: FROM[index] as string, options })));

const given = ({ from, options }: OptionLayer): string[] =>
  Object.entries(options)
    .filter(([, said]) => said !== undefined)
    .map(([option, said]) => `${option} ${String(said)} ${from}`);

const RUNS = { numRuns: 500 };

describe('layers of random options, merged', () => {
  it('are what a merge option by option gives', () => {
    fc.assert(
      fc.property(layers, (list) => {
        expect(optionsOf(mergeLayers(list))).toEqual(twin(list));
      }),
      RUNS,
    );
  });

  it('account for everything that any layer says: it stands, or one thing that stands hides it', () => {
    fc.assert(
      fc.property(layers, (list) => {
        const told = mergeLayers(list).flatMap((standing) => [standing, ...standing.over]);
        const lines = told.map(({ option, value: said, from }) => `${option} ${String(said)} ${from}`);
        expect(lines.sort()).toEqual(list.flatMap(given).sort());
      }),
      RUNS,
    );
  });

  it('tell what is hidden from the nearest layer down, all of it below what hides it', () => {
    fc.assert(
      fc.property(layers, (list) => {
        for (const { from, over } of mergeLayers(list)) {
          const heights = [from, ...over.map((hidden) => hidden.from)].map((place) => FROM.indexOf(place));
          expect(heights).toEqual([...heights].sort((one, other) => other - one));
          expect(heights.slice(1)).not.toContain(heights[0]);
        }
      }),
      RUNS,
    );
  });
});
