// The tests on what users have beside this machine's Node and the newest Nest: Nest 11, and the other Nodes of our range.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { install, majors, nodeOf, ownMajor, root } from './node-versions.mjs';
import { runJest } from './run-jest.mjs';

/** rxjs, reflect-metadata and the like are found in the project itself, so there is one of each. */
const NEST_11 = {
  '@nestjs/axios': '4.0.1',
  '@nestjs/common': '11.2.10',
  '@nestjs/config': '4.0.4',
  '@nestjs/core': '11.2.10',
  '@nestjs/event-emitter': '3.1.0',
  '@nestjs/microservices': '11.2.6',
  '@nestjs/platform-express': '11.2.10',
  '@nestjs/platform-fastify': '11.2.8',
  '@nestjs/schedule': '6.1.3',
  '@nestjs/swagger': '11.4.7',
  '@nestjs/terminus': '11.1.1',
  '@nestjs/testing': '11.2.6',
};
/** How the folders of tests begin that meet Nest. */
const WITH_NEST = ['nest', 'observables', 'samples'];
/** Helpers of tests that never see the other Nest: a process of its own finds the installed one, and a browser sees a page. */
const WITHOUT_NEST = ['../support/child-processes.js', './browser.js'];

/** Every test must run and pass: a skipped one would be a hole that nobody sees. */
async function test(node, files, env = {}) {
  // The folder of the Node under test comes first, for tests that start programs by name.
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
  const { passed, failed, skipped } = await runJest({ node, files, env: { PATH, ...env }, quiet: true });
  if (failed > 0 || skipped > 0) throw new Error(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return passed;
}

async function step(title, work) {
  const start = Date.now();
  const took = () => `${((Date.now() - start) / 1_000).toFixed(1)} s`;
  try {
    console.log(`ok     ${title}: ${await work()} tests passed (${took()})`);
  } catch (error) {
    console.log(`FAILED ${title} (${took()})\n${[error.message, error.stderr].filter(Boolean).join('\n')}`);
    process.exitCode = 1;
  }
}

async function testsWithNest() {
  const entries = await readdir(path.join(root, 'test'), { recursive: true });
  const specs = entries.filter(
    (file) => file.endsWith('.spec.ts') && WITH_NEST.some((start) => file.startsWith(start)),
  );
  const texts = await Promise.all(specs.map((file) => readFile(path.join(root, 'test', file), 'utf8')));
  const meets = (text) => !WITHOUT_NEST.some((helper) => text.includes(`'${helper}'`));
  return specs.filter((_, at) => meets(texts[at])).map((file) => `test/${file}`);
}

/** The older Nest under another Node; with `--all`, a part of the slow lane, every test under every other Node, too. */
const others = majors.filter((major) => major !== ownMajor);
const [middle] = others;
await step(`Nest 11 on Node ${middle}`, async () =>
  test(nodeOf(middle), await testsWithNest(), { RELPRIM_NEST: install('nest11', NEST_11) }),
);
if (process.argv.includes('--all'))
  for (const major of others) await step(`Node ${major}`, async () => test(nodeOf(major), []));
