// Tries one mutant after the other: first in the process that has all tests loaded, where a test takes what it takes, and
// then, for what that process cannot tell, in one of its own.
import { copyFolder } from './copy.mjs';
import { Tester } from './tester.mjs';

/** ms of tests that a mutant may live through before it is believed. */
const BUDGET = Number(process.env.MUTATION_BUDGET ?? 2_000);
/** Tests that may fail among the others before these are loaded anew. */
const MOST_SPOILT = 8;
const limitOf = ({ wallMs }) => Math.round(1_500 + wallMs * 5);
const fileOf = (test) => test.split(': ')[0];
const hasFailed = ({ status }) => status === 'failed' || status === 'late';
const isNear = (test, file) => file.replace('.ts', '').split('/').includes(test.split('/')[1]);

function withinBudget(tests) {
  let spent = 0;
  return tests.filter(({ ms }) => (spent += ms) <= BUDGET || spent === ms);
}

export class Mutants {
  constructor(files, notes) {
    this.notes = notes;
    this.tester = new Tester(copyFolder, files);
    this.kills = notes.kills();
    this.spoilt = new Set();
  }

  async survey() {
    const { broken } = await this.tester.start();
    for (const { file, error } of broken) console.log(`not used: ${file}: ${error}`);
    const { tests, loadedWith } = await this.ask(this.tester);
    // What fails among all others may do better alone.
    for (const file of new Set(tests.filter(hasFailed).map((test) => test.file))) {
      const tester = new Tester(copyFolder, [file]);
      await tester.start();
      const alone = new Map((await this.ask(tester)).tests.map((test) => [test.id, test]));
      tester.end();
      tests.forEach((test, at) => {
        const better = hasFailed(test) ? alone.get(test.id) : undefined;
        if (better?.status === 'passed') tests[at] = { ...better, status: 'once' };
      });
    }
    const of = (status) => tests.filter((test) => test.status === status);
    for (const { id, error } of [...of('failed'), ...of('late')])
      console.log(`not used: ${id}: ${error?.split('\n')[0]}`);
    this.notes.slow.push(...of('slow').map(({ id }) => id));
    await this.notes.write();
    this.tests = [...of('passed'), ...of('once')];
    for (const test of this.tests) if (this.notes.once.has(test.id)) test.status = 'once';
    this.atLoad = new Set(loadedWith);
    console.log(`${this.tests.length} tests, ${of('once').length} of them for processes of their own`);
  }

  async ask(tester) {
    const answer = await tester.ask({ type: 'survey', slow: this.notes.slow }, 180_000);
    if (answer === undefined)
      throw new Error(`the process of the tests ended, or fell silent, after ${tester.latest}`);
    const { coverage, loadedWith } = answer;
    const tests = Object.entries(coverage).map(([id, found]) => ({ id, file: fileOf(id), ...found }));
    return { tests, loadedWith };
  }

  /** The tests that reach a mutant: quick ones first, and before them those near it and those that killed much. */
  reaching(mutant, status) {
    const weight = ({ id, ms }) => ms / ((1 + this.killsOf(id)) * (isNear(id, mutant.file) ? 4 : 1));
    return this.tests
      .filter((test) => test.status === status && test.hits[mutant.id] !== undefined)
      .sort((a, b) => weight(a) - weight(b));
  }

  async try(mutant) {
    let outcome = await this.tryTogether(mutant);
    for (const { files, tests } of this.lonely(mutant)) {
      if (outcome.status !== 'survived' && outcome.status !== 'uncovered') break;
      outcome = await this.tryAlone(mutant, files, tests);
    }
    const { killer } = outcome;
    if (killer !== undefined) this.kills.set(killer, this.killsOf(killer) + 1);
    return outcome;
  }

  /** What can only be tried in a process of its own: mutants at work while modules load, and tests that run once. */
  *lonely(mutant) {
    if (this.atLoad.has(mutant.id)) {
      const tests = this.tests.filter(({ id, status }) => status === 'passed' && isNear(id, mutant.file));
      tests.sort((a, b) => a.ms / (1 + this.killsOf(a.id)) - b.ms / (1 + this.killsOf(b.id)));
      if (tests.length > 0) yield { files: new Set(tests.map(({ file }) => file)), tests };
    }
    const spoilt = this.reaching(mutant, 'passed').filter(({ id }) => this.spoilt.has(id));
    for (const file of new Set([...this.reaching(mutant, 'once'), ...spoilt].map((test) => test.file))) {
      yield { files: [file], tests: this.tests.filter((test) => test.file === file) };
    }
  }

  killsOf(name) {
    return this.kills.get(name) ?? 0;
  }

  async tryTogether(mutant, reloads = 0) {
    const usable = this.reaching(mutant, 'passed').filter(({ id }) => !this.spoilt.has(id));
    const order = withinBudget(usable).map((test) => {
      return { id: test.id, limit: limitOf(test), hits: 1_000 + test.hits[mutant.id] * 100 };
    });
    if (order.length === 0) return { status: 'uncovered' };
    if (this.tester.child === undefined) await this.tester.start();
    const answer = await this.tester.ask({ type: 'try', mutant: mutant.id, order });
    if (answer === undefined) {
      this.spoilt.clear();
      return { status: 'late' };
    }
    if (answer.clean) return answer;
    const alone = await this.tryAgain(mutant, answer.killer, order);
    if (alone !== undefined) return alone;
    const isEnded = this.tester.child === undefined;
    if (isEnded && reloads === 1) return this.tryEachFile(mutant, usable);
    return this.tryTogether(mutant, reloads + (isEnded ? 1 : 0));
  }

  /** For a mutant that makes tests spoil those that come after them, whenever they are loaded. */
  async tryEachFile(mutant, tests) {
    for (const file of new Set(tests.map((test) => test.file))) {
      const ofFile = this.tests.filter((test) => test.file === file);
      const outcome = await this.tryAlone(mutant, [file], ofFile);
      if (outcome.status !== 'survived') return outcome;
    }
    return { status: 'survived' };
  }

  /**
   * A test that killed a mutant fails without it, too: this mutant or an earlier one has left something behind, or the
   * test can be run only once. Its file alone, in a new process, tells which; among the others it is asked no more
   * until they are loaded anew. Nothing if the mutant is to be tried once more, without that test.
   */
  async tryAgain(mutant, killer, order) {
    this.spoilt.add(killer);
    if (this.spoilt.size > MOST_SPOILT) this.end();
    const test = this.tests.find(({ id }) => id === killer);
    const tester = new Tester(copyFolder, [test.file]);
    await tester.start();
    const only = order.filter(({ id }) => id === killer);
    const answer = await tester.ask({ type: 'try', mutant: mutant.id, order: only });
    tester.end();
    if (answer === undefined) return { status: 'late' };
    if (answer.status !== 'survived' && answer.clean) return answer;
    if (answer.status !== 'survived') {
      test.status = 'once';
      this.notes.once.add(killer);
    }
    return undefined;
  }

  async tryAlone(mutant, files, tests) {
    const tester = new Tester(copyFolder, [...files], mutant.id);
    try {
      const loaded = await tester.start();
      if (loaded === undefined) return { status: 'late' };
      if (loaded.broken.length > 0) return { status: 'killed', killer: loaded.broken[0].file };
      const order = withinBudget(tests).map((test) => ({ id: test.id, limit: limitOf(test), hits: 1e7 }));
      return (
        (await tester.ask({ type: 'try', mutant: mutant.id, order, isStatic: true })) ?? { status: 'late' }
      );
    } finally {
      tester.end();
    }
  }

  end() {
    this.spoilt.clear();
    this.tester.end();
  }
}
