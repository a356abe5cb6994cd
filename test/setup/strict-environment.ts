import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Circus } from '@jest/types';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';

/** Each of these is a leak or a bad delay of ours; Node only mutters about it. */
const failingWarnings = new Set([
  'MaxListenersExceededWarning',
  'TimeoutOverflowWarning',
  'TimeoutNegativeWarning',
  'TimeoutNaNWarning',
]);

/**
 * Fails the running test on an unhandled rejection, on a leak of listeners and on a delay no timer can keep.
 *
 * An environment and not a setup file, because a test file sees a copy of `process` whose listeners never fire.
 * Stricter than jest, which forgives a rejection that is handled later: in an application Node has exited by then.
 */
export default class StrictEnvironment extends NodeEnvironment {
  private strays: Error[] = [];

  private readonly onRejection = (reason: unknown): void => {
    const stray = new Error('A promise was rejected and nobody handled it in time', { cause: reason });
    stray.stack = String(stray); // the place to show is the cause's, not this line
    this.strays.push(stray);
  };

  private readonly onWarning = (warning: Error): void => {
    if (failingWarnings.has(warning.name)) this.strays.push(warning);
  };

  async handleTestEvent(event: Circus.Event): Promise<void> {
    if (event.name === 'run_start') {
      // Not earlier: jest removes all earlier listeners when it installs its own.
      process.on('unhandledRejection', this.onRejection);
      process.on('warning', this.onWarning);
    } else if (event.name === 'test_done') {
      await nextTurn(); // rejections of the test's last turn are reported at its end
      const strays = this.takeStrays();
      // A test that failed anyway has most likely said the same already.
      if (event.test.errors.length === 0) event.test.errors.push(...strays);
    }
  }

  override async teardown(): Promise<void> {
    await nextTurn();
    process.off('unhandledRejection', this.onRejection);
    process.off('warning', this.onWarning);
    await super.teardown();
    const [stray] = this.takeStrays();
    if (stray) throw stray; // after the last test there is only the file left to fail
  }

  private takeStrays(): Error[] {
    return this.strays.splice(0);
  }
}
