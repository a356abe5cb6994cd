// What is remembered from run to run: how each mutant ended, and which tests are slow, or can be run only once.
import { readFile, writeFile } from 'node:fs/promises';

const nameOf = ({ file, hash, location, mutatorName, replacement }) =>
  JSON.stringify([file, hash, location, mutatorName, replacement]);

export class Notes {
  static async read(place) {
    const text = await readFile(place, 'utf8').catch(() => '{"outcomes":[],"slow":[],"once":[]}');
    return new Notes(place, JSON.parse(text));
  }

  constructor(place, { outcomes, slow, once = [] }) {
    this.place = place;
    this.outcomes = new Map(outcomes);
    this.slow = slow;
    this.once = new Set(once);
    this.written = Date.now();
  }

  outcomeOf(mutant) {
    return this.outcomes.get(nameOf(mutant));
  }

  /** How many mutants each test has killed. */
  kills() {
    const kills = new Map();
    for (const { killer } of this.outcomes.values())
      if (killer !== undefined) kills.set(killer, (kills.get(killer) ?? 0) + 1);
    return kills;
  }

  async take(mutant, outcome) {
    this.outcomes.set(nameOf(mutant), outcome);
    if (Date.now() - this.written > 30_000) await this.write();
  }

  async write() {
    this.written = Date.now();
    await writeFile(
      this.place,
      JSON.stringify({ outcomes: [...this.outcomes], slow: this.slow, once: [...this.once] }),
    );
  }
}
