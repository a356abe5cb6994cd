// What decorated methods add to the start of a Nest application. Applications with and without take turns, so that
// whatever disturbs the machine disturbs both.
import { median } from '../measure/median.mjs';
import { figureOf } from '../processes.mjs';

export const METHODS = 1_000;

/** Medians of both kinds: milliseconds of `NestFactory.create` and `init()` by the clock and of CPU, and of class definitions. */
export function measureStartUp(node, rounds) {
  const starts = { plain: [], decorated: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const [kind, list] of Object.entries(starts)) {
      const start = figureOf({ node, script: 'start-up/one.mjs', args: [kind, METHODS] });
      if (start !== undefined) list.push(start);
    }
  return Object.fromEntries(
    Object.entries(starts).map(([kind, list]) => {
      const of = (pick) => median(list.map(pick));
      const wallMs = of(({ started }) => started.wallMs);
      const cpuMs = of(({ started }) => started.cpuMs);
      return [kind, { wallMs, cpuMs, definedMs: of(({ defined }) => defined.wallMs) }];
    }),
  );
}
