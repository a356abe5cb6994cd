import { OPTION_GROUPS, type PolicyOptions } from './options.js';

/** Options that were written at one place. */
export interface OptionLayer {
  /** Names the place, for people: `decorator`. */
  readonly from: string;
  readonly options: PolicyOptions;
}

/** An option as one place says it. */
export interface PlacedOption {
  readonly option: string;
  readonly value: unknown;
  readonly from: string;
}

/** What stands at an option after merging: its value, the place it comes from, and what it hides. */
export interface LayeredOption extends PlacedOption {
  /** What lower layers say instead, the nearest first: the same option, or another form of it. */
  readonly over: readonly PlacedOption[];
}

/** Says where, not how: a policy object that names no place leaves it to the application. */
const PLACE: keyof PolicyOptions = 'idempotencyStore';

/** For each option those that say the same in another form. */
const RIVALS: ReadonlyMap<string, readonly string[]> = new Map(
  OPTION_GROUPS.flatMap(({ whole, parts }): [string, readonly string[]][] => {
    const rivals = parts.filter((part) => part !== PLACE);
    return [[whole, rivals], ...rivals.map((part): [string, readonly string[]] => [part, [whole]])];
  }),
);

/**
 * Lays layers of options over each other, the lowest first. Single options replace each other; a policy object
 * replaces its whole group, and so do simple options that meet a policy object; only the store of idempotency keys
 * stays where the policy object names none. What an upper layer does not give
 * stays: `undefined` never hides what a lower layer says.
 */
export function mergeLayers(layers: readonly OptionLayer[]): readonly LayeredOption[] {
  const merged = new Map<string, LayeredOption>();
  const height = ({ from }: PlacedOption): number => layers.findIndex((layer) => layer.from === from);
  for (const { from, options } of layers) {
    for (const [option, value] of Object.entries(options)) {
      if (value === undefined) continue;
      const rivals = RIVALS.get(option) ?? [];
      const hidden = [option, ...rivals].flatMap((below) => merged.get(below) ?? []);
      for (const rival of rivals) merged.delete(rival);
      const over = hidden.flatMap(withWhatItHides).sort((one, other) => height(other) - height(one));
      merged.set(option, { option, value, from, over });
    }
  }
  return [...merged.values()];
}

/** Merged layers as options. */
export function optionsOf<Options extends PolicyOptions>(merged: readonly LayeredOption[]): Options {
  return Object.fromEntries(merged.map(({ option, value }) => [option, value])) as unknown as Options;
}

function withWhatItHides({ option, value, from, over }: LayeredOption): readonly PlacedOption[] {
  return [{ option, value, from }, ...over];
}
