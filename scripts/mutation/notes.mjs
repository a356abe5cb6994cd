// What is remembered from run to run: how each mutant ended, and which tests are slow.
import { readFile, writeFile } from 'node:fs/promises';

const nameOf = ({ file, hash, location, mutatorName, replacement }) =>
  JSON.stringify([file, hash, location, mutatorName, replacement]);

export class Notes {
  static async read(place) {
    const text = await readFile(place, 'utf8').catch(() => '{"outcomes":[],"slow":[]}');
    return new Notes(place, JSON.parse(text));
  }

  constructor(place, { outcomes, slow }) {
    this.place = place;
    this.outcomes = new Map(outcomes);
    this.slow = slow;
    this.written = Date.now();
  }

  outcomeOf(mutant) {
    return this.outcomes.get(nameOf(mutant));
  }

  async take(mutant, outcome) {
    this.outcomes.set(nameOf(mutant), outcome);
    if (Date.now() - this.written > 30_000) await this.write();
  }

  async write() {
    this.written = Date.now();
    await writeFile(this.place, JSON.stringify({ outcomes: [...this.outcomes], slow: this.slow }));
  }
}
