import { asyncOperation, resultOf, type AsyncOperation } from '../../lib/index.js';
import type { FakeClock } from '../../lib/testing/index.js';
import type { Fn } from './support.js';

export type Start = (
  operation: AsyncOperation<Fn, any>,
  signal: AbortSignal,
  clock: FakeClock,
) => Promise<unknown>;

/** The ways in which a caller hands over a signal. */
export const WAYS: Record<string, Start> = {
  'the signal of the operation': (operation, signal) => operation.withSignal(signal).run(),
  'a signal selector': (operation, signal) => operation.withSignal((found: AbortSignal) => found).run(signal),
  'the signal of one run': (operation, signal) => operation.runWith({ signal }),
  'resultOf with a signal': (operation, signal) => resultOf(() => operation.run(), { signal }),
  'an outer attempt': (operation, signal, clock) =>
    asyncOperation('outer', () => operation.run(), { clock }).runWith({ signal }),
};
