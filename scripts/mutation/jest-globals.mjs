// What test files import from `@jest/globals`, here: one process loads them all, and runs any test at any time.
import { expect } from 'expect';
import { bind } from 'jest-each';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Every test there is, in the order of their registration: what `loadTests` is for. */
export const tests = [];
let file = '';
let block = newBlock('', undefined);

function newBlock(title, parent) {
  return { title, parent, beforeAll: [], beforeEach: [], afterEach: [], afterAll: [], seen: new Map() };
}

/** Imports a compiled test file, whose tests join the list. */
export async function loadTests(name, url) {
  file = name;
  block = newBlock('', undefined);
  await import(url);
}

function describe(title, body) {
  block = newBlock(title, block);
  body();
  block = block.parent;
}

function it(title, body, timeout) {
  const titles = [title];
  const blocks = [block];
  for (let outer = block; outer.parent !== undefined; outer = outer.parent) {
    titles.unshift(outer.title);
    blocks.unshift(outer.parent);
  }
  const whole = titles.join(' > ');
  // Two tests may bear one title.
  const nth = block.seen.get(whole) ?? 0;
  block.seen.set(whole, nth + 1);
  tests.push({ id: `${file}: ${whole}${nth === 0 ? '' : ` (${nth})`}`, file, body, timeout, blocks });
}

const skip = () => {};
it.each = bind(it);
describe.each = bind(describe);
it.skip = skip;
skip.each = () => skip;
describe.skip = skip;
const hook = (name) => (body) => void block[name].push(body);
export const [beforeAll, beforeEach, afterEach, afterAll] = [
  'beforeAll',
  'beforeEach',
  'afterEach',
  'afterAll',
].map(hook);

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { rootDir: '/', fakeTimers: {} }, global: globalThis });
const ofTimers = [
  'useFakeTimers',
  'useRealTimers',
  'clearAllTimers',
  'getTimerCount',
  'setSystemTime',
  'advanceTimersByTime',
];
export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  setTimeout() {},
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  ...Object.fromEntries(ofTimers.map((name) => [name, (...args) => timers[name](...args)])),
};
export { describe, expect, it, it as test };
