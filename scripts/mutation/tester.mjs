// The other end of worker.mjs: asks it one thing at a time, and ends it when it is silent for too long.
import { fork } from 'node:child_process';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';

/** ms without a word after which a process is held to be in an endless loop; a busy machine needs many. */
const SILENCE = 20_000;

export class Tester {
  constructor(folder, files, mutant) {
    this.setting = { folder, files };
    this.mutant = mutant;
  }

  /** Starts the process anew. */
  async start(silence = 120_000) {
    this.end();
    this.child = fork(path.join(import.meta.dirname, 'worker.mjs'), {
      env: { ...process.env, ...(this.mutant && { MUTATION_MUTANT: this.mutant }) },
      execArgv: ['--expose-gc', '--max-old-space-size=3000', '--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return this.ask({ type: 'load', ...this.setting }, silence);
  }

  /** The answer, or undefined when the process ended or fell silent: then it is gone. */
  ask(message, silence = SILENCE) {
    const { child } = this;
    if (child === undefined) return undefined;
    return new Promise((resolve) => {
      let timer;
      const settle = (answer) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (answer === undefined) this.end();
        resolve(answer);
      };
      const wait = () => {
        clearTimeout(timer);
        timer = setTimeout(settle, silence);
      };
      child.on('exit', (code, signal) => {
        this.latest = `${this.latest} (${code ?? signal})`;
        settle();
      });
      child.on('error', () => settle());
      child.on('message', (answer) => {
        if (answer.type !== 'alive') return settle(answer);
        this.latest = answer.after;
        wait();
      });
      wait();
      child.send(message);
    });
  }

  end() {
    this.child?.removeAllListeners();
    this.child?.on('error', () => {});
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }
}
