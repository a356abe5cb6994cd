import { describe, expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';

const { runScript } = childProcesses('process-end');

describe('the end of a process', () => {
  it('waits for the timeout of a call that hangs', async () => {
    const { code, stdout, stderr } = await runScript(
      'hangs',
      `const timeout = new relprim.TimeoutPolicy('80ms');
       try { await timeout.run(() => new Promise(() => {})); }
       catch (error) { console.log(error.name, error.timeoutSeconds); }`,
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'OperationTimeoutError 0.08\n', stderr: '' });
  });

  it('waits for every deadline in turn, also on a clock of the machine made by hand and in a retried operation', async () => {
    const { code, stdout } = await runScript(
      'hangs-again',
      `const hang = () => new Promise(() => {});
       const say = (error) => console.log(error.cause?.name ?? error.name);
       const timeout = new relprim.TimeoutPolicy('60ms');
       timeout.run(hang).catch(say).then(() => timeout.run(hang)).catch(say);
       new relprim.TimeoutPolicy('200ms', { clock: new relprim.SystemClock() }).run(hang).catch(say);
       relprim.resilient({ name: 'r', retries: 1, timeout: '90ms' }, hang)().catch(say);`,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'OperationTimeoutError\n'.repeat(4) });
  });

  it('does not wait for a deadline that is far away once the call has met its timeout', async () => {
    const { code, stdout } = await runScript(
      'far-away',
      `const run = relprim.resilient({ name: 'r', timeout: '60ms', deadline: '1h' }, () => new Promise(() => {}));
       await run().catch((error) => console.log(error.cause.name));
       const endedMs = performance.now();
       process.on('exit', () => console.log(performance.now() - endedMs < 1_000));`,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'OperationTimeoutError\ntrue\n' });
  });

  // B007
  it('does not wait for the timers of calls that have ended', async () => {
    const { code, stdout } = await runScript(
      'ended',
      `const timeout = new relprim.TimeoutPolicy('1h');
       for (let call = 0; call < 100; call += 1) await timeout.run(async () => call);
       await timeout.run(async () => { throw new Error(); }).catch(() => {});
       await relprim.resilient({ name: 'r', timeout: '1h', deadline: '2h' }, async () => 1)();
       const endedMs = performance.now();
       process.on('exit', () => console.log(performance.now() - endedMs < 1_000));`,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'true\n' });
  });

  it('is not put off by a warning or a listener for each of many lengths of time', async () => {
    const { stdout, stderr } = await runScript(
      'lengths',
      `for (let ms = 1; ms <= 50; ms += 1) await new relprim.TimeoutPolicy(ms).run(async () => ms);
       console.log(process.listenerCount('beforeExit'));`,
    );
    expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
  });
});
