// One test with its hooks, as strict as test/setup/strict-environment.ts: a stray rejection fails it.
import { setImmediate as nextTurn } from 'node:timers/promises';

// Tests put fake timers in the place of these.
const { setTimeout, clearTimeout, performance } = globalThis;
const failingWarnings = /^(MaxListenersExceeded|TimeoutOverflow|TimeoutNegative|TimeoutNaN)Warning$/;
let strays = [];
process.on('unhandledRejection', (reason) => strays.push(reason));
process.on('uncaughtException', (error) => strays.push(error));
process.on('warning', (warning) => failingWarnings.test(warning.name) && strays.push(warning));

const late = Symbol('late');

async function all(hooks) {
  for (const hook of hooks) await hook();
}

async function act({ body, blocks }) {
  const inside = [...blocks].reverse();
  try {
    for (const block of blocks) await all(block.beforeAll);
    for (const block of blocks) await all(block.beforeEach);
    await body();
  } finally {
    for (const block of inside) await all(block.afterEach);
    for (const block of inside) await all(block.afterAll);
  }
}

/**
 * How a test went: `passed`, `failed` or `late`, which is not ended after `limit` ms; the ms it took, and those of the
 * processor, which others that work beside it do not change.
 */
export async function runTest(test, limit) {
  strays = [];
  const start = performance.now();
  const cpu = process.cpuUsage();
  let timer;
  const limited = new Promise((resolve) => (timer = setTimeout(resolve, limit, late)));
  let status = 'passed';
  let error;
  try {
    if ((await Promise.race([act(test), limited])) === late) status = 'late';
    await nextTurn(); // rejections of the test's last turn are reported at its end
  } catch (caught) {
    [status, error] = ['failed', caught];
  }
  clearTimeout(timer);
  if (status === 'passed' && strays.length > 0) [status, error] = ['failed', strays[0]];
  const { user, system } = process.cpuUsage(cpu);
  return { status, error, ms: (user + system) / 1_000, wallMs: performance.now() - start };
}
