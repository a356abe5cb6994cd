import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';

const { runModule, startModule } = childProcesses('shutdown');
const MODULE = 'test/nest/children/pending-waits.ts';

/** What the process says, in any order: how the calls and the request end, and that the sink was flushed twice. */
const said = (...more: readonly string[]): readonly string[] =>
  [
    '1000 calls ended with RELPRIM_SHUTDOWN',
    'request ended with 503',
    'flushed 1001',
    'flushed 1001',
    'ended within a second: true',
    ...more,
  ].sort();

function linesOf(output: string): readonly string[] {
  return output.trimEnd().split('\n').sort();
}

describe('a process with a thousand calls that wait', () => {
  // D8
  it('ends within a second of the close of its application', async () => {
    const { code, stdout, stderr } = await runModule(MODULE, { args: ['--close'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesOf(stdout)).toEqual(said('closed'));
  });

  it('ends within a second of the signal to stop', async () => {
    const child = await startModule(MODULE);
    const stdout = child.stdout as Readable;
    stdout.once('data', () => child.kill('SIGTERM'));
    const [output, complaints] = [text(stdout), text(child.stderr as Readable)];
    const [code] = await once(child, 'exit');
    expect({ code, complaints: await complaints }).toEqual({ code: 0, complaints: '' });
    expect(linesOf(await output)).toEqual(said('ready'));
  });
});
