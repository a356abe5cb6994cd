// Libraries under one interface: `build(fn, policies)` gives a function that calls `fn` under these policies, made once and
// reused, as each library's own documentation has it.
export const BARE = 'bare await';
export const RELPRIM = 'relprim';

const files = {
  [BARE]: 'bare',
  [RELPRIM]: 'relprim',
  cockatiel: 'cockatiel',
  opossum: 'opossum',
  mollitia: 'mollitia',
  'nestjs-resilience': 'nestjs-resilience',
  'p-retry + p-timeout': 'p-retry',
  effect: 'effect',
};

export const libraryNames = Object.keys(files);
const peerNames = libraryNames.filter((name) => name !== BARE && name !== RELPRIM);

/** `cockatiel 3.2.1 / 4.0.0, …` from the packages of each Node. */
export function versionsOf(packages) {
  const names = peerNames.flatMap((name) => name.split(' + '));
  const said = names.map((name) => {
    const versions = new Set(packages.map((ofNode) => ofNode[name]));
    return `${name} ${[...versions].join(' / ')}`;
  });
  return said.join(', ');
}

/** Only what a measurement is about is loaded into its process. */
export async function library(name) {
  const { default: found } = await import(`./${files[name]}.mjs`);
  return found;
}

/** Policies that a library does not have; that of mollitia turns one error into another. */
export const LACKS = {
  mollitia: ['fallback'],
  opossum: ['retry'],
  'p-retry + p-timeout': ['breaker', 'fallback'],
  effect: ['breaker'],
};
