// The same work under the same policies in every library that has them.
import { LACKS, library, libraryNames } from '../libraries/index.mjs';
import { fails, failsFirst, hangs, taken, works } from './work.mjs';

const RETRY = { retries: 2 };
const TIMEOUT = { timeoutMs: 10_000 };
const BREAKER = { breaker: 'closed' };
const THREE = { ...RETRY, ...TIMEOUT, ...BREAKER };

/** What is asked for, and of what function; `failing` calls are taken as a caller would take them. */
const scenarios = {
  'retry + timeout + breaker': { policies: THREE },
  'retry + timeout': { policies: { ...RETRY, ...TIMEOUT } },
  'timeout + breaker': { policies: { ...TIMEOUT, ...BREAKER } },
  retry: { policies: RETRY },
  timeout: { policies: TIMEOUT },
  breaker: { policies: BREAKER },
  'three retries without delay': { policies: { retries: 3, atOnce: true }, fn: () => failsFirst(3) },
  'timeout of 1 ms': { policies: { timeoutMs: 1 }, fn: () => hangs, failing: true },
  'a failure answered by a fallback': { policies: { fallback: works }, fn: () => fails },
  'a call that fails, breaker': { policies: { breaker: 'never opens' }, fn: () => fails, failing: true },
  'refused by an open breaker': { policies: { breaker: 'open' }, fn: () => fails, refused: true },
};
export const scenarioNames = Object.keys(scenarios);
export const TOGETHER = 'retry + timeout + breaker';
export const policiesOfThree = THREE;

const NEEDS = { retries: 'retry', timeoutMs: 'timeout', breaker: 'breaker', fallback: 'fallback' };

/** The policies of the scenario that the library does not have. */
export function missing(name, scenario) {
  const lacks = LACKS[name] ?? [];
  return Object.keys(scenarios[scenario].policies)
    .map((policy) => NEEDS[policy])
    .filter((policy) => lacks.includes(policy));
}

/** Libraries take part with all that is asked for, or not at all. */
export const comparisons = Object.fromEntries(
  libraryNames
    .slice(1)
    .flatMap((name) =>
      scenarioNames
        .filter((scenario) => missing(name, scenario).length === 0)
        .map((scenario) => [`${name}: ${scenario}`, { make: () => subjectOf(name, scenario), peer: true }]),
    ),
);

async function subjectOf(name, scenario) {
  const { policies, fn = () => works, failing = false, refused = false } = scenarios[scenario];
  const { build, isRefusal } = await library(name);
  const call = build(fn(), policies);
  if (refused) await untilRefused(call, isRefusal);
  return { call: failing || refused ? taken(call) : call };
}

async function untilRefused(call, isRefusal) {
  for (let calls = 0; calls < 1_000; calls += 1) {
    const error = await call().then(undefined, (reason) => reason);
    if (isRefusal(error)) return;
  }
  throw new Error('the breaker does not open');
}
