import type { ResilienceStateJson, ShieldJson } from '../state/state-json.js';

/** Five minutes of seconds. */
const MOST_POINTS = 300;

/** Of a shield at one moment: seconds since 1970, rate, timeout in seconds, retries that may be taken. */
export type CurvePoint = readonly [at: number, rate: number, timeoutSeconds: number, budget: number];

/** What the shields were like while somebody watched. */
export class Curves {
  private readonly points = new Map<string, CurvePoint[]>();

  note({ at, shields }: Pick<ResilienceStateJson, 'at' | 'shields'>): void {
    const seconds = Math.round(Date.parse(at) / 1_000);
    for (const shield of shields) this.add(shield, seconds);
    // Of shields that are no longer shown, as where very many come and go.
    for (const name of this.points.keys())
      if (!shields.some((shield) => shield.name === name)) this.points.delete(name);
  }

  /** By the name of the shield, oldest first. */
  read(): Readonly<Record<string, readonly CurvePoint[]>> {
    return Object.fromEntries(this.points);
  }

  private add({ name, rate, timeout_seconds, budget }: ShieldJson, seconds: number): void {
    const known = this.points.get(name) ?? [];
    if (known.at(-1)?.[0] === seconds) known.pop();
    known.push([seconds, rate, timeout_seconds, budget]);
    if (known.length > MOST_POINTS) known.shift();
    this.points.set(name, known);
  }
}
