import { OPTION_GROUPS, type PolicyOptions } from './options.js';

/**
 * Lays one layer of options over another. Single options replace each other; a policy object replaces its whole
 * group, and so do simple options that meet a policy object. What the upper layer does not give stays.
 */
export function mergeOptions<Upper extends PolicyOptions>(lower: PolicyOptions, upper: Upper): Upper {
  const merged: Record<string, unknown> = { ...given(lower) };
  for (const { whole, parts } of OPTION_GROUPS) {
    if (isGiven(upper, whole)) for (const part of parts) delete merged[part];
    else if (parts.some((part) => isGiven(upper, part))) delete merged[whole];
  }
  return Object.assign(merged, given(upper)) as unknown as Upper;
}

/** `undefined` means not given, so it never hides what a lower layer says. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function isGiven(options: PolicyOptions, option: keyof PolicyOptions): boolean {
  return options[option] !== undefined;
}
