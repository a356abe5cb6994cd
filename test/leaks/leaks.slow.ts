import { MEGABYTE } from '../operation/memory.js';
import { childProcesses } from '../support/child-processes.js';
import { describeLeftovers } from './calls.js';
import { describeSoak } from './soaking.js';

/* What is left of a hundred thousand calls of every shape, and of ten minutes of them in a bad time. */

const { runModule } = childProcesses('slow-leaks');

describeLeftovers({ runModule, calls: 100_000, grownBytes: 2 * MEGABYTE, timeoutMs: 1_800_000 });
describeSoak({ runModule, seconds: Number(process.env['RELPRIM_SOAK_SECONDS'] ?? 600), watchesHeap: true });
