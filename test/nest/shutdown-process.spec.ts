import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';

const { runModule, startModule } = childProcesses('shutdown');
const MODULE = 'test/nest/children/pending-waits.ts';

describe('a process with a thousand calls that wait', () => {
  // D8
  it('ends within a second of the close of its application', async () => {
    const { code, stdout, stderr } = await runModule(MODULE, '--close');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').sort()).toEqual(
      [
        '',
        '1000 calls ended with RELPRIM_SHUTDOWN',
        'closed',
        'ended within a second: true',
        'flushed 1001',
        'flushed 1001',
        'request ended with 500',
      ].sort(),
    );
  });

  it('ends within a second of the signal to stop, by that signal', async () => {
    const child = await startModule(MODULE);
    const [stdout, stderr] = [child.stdout as Readable, child.stderr as Readable];
    const said = text(stdout.on('data', (data: Buffer) => String(data).includes('ready') && stop()));
    const complaints = text(stderr);
    let stoppedMs = Infinity;
    const stop = (): void => {
      stoppedMs = performance.now();
      child.kill('SIGTERM');
    };
    const [code, signal] = await once(child, 'exit');
    expect(performance.now() - stoppedMs).toBeLessThan(1_000);
    expect({ code, signal, complaints: await complaints }).toEqual({
      code: null,
      signal: 'SIGTERM',
      complaints: '',
    });
    expect((await said).split('\n').sort()).toEqual(
      [
        '',
        '1000 calls ended with RELPRIM_SHUTDOWN',
        'flushed 1001',
        'flushed 1001',
        'ready',
        'request ended with 500',
      ].sort(),
    );
  });
});
