import { describe, expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';

const { runModule } = childProcesses('closed-application');

describe('an application that has closed', () => {
  // B012
  it('leaves nothing reachable, though its classes, and a breaker, a shield, a signal and an error that it used, live on', async () => {
    const ended = await runModule('test/nest/children/closed-application.ts', { flags: ['--expose-gc'] });
    expect(ended).toEqual({ code: 0, stdout: '13 parts of 15 calls looked at\n', stderr: '' });
  });

  // B012
  it('leaves nothing reachable, though a result, an error or a subscription of one of its calls is kept', async () => {
    const ended = await runModule('test/nest/children/kept-outcomes.ts', { flags: ['--expose-gc'] });
    expect(ended).toEqual({ code: 0, stdout: '12 results, 8 errors and 5 others kept\n', stderr: '' });
  });
});
