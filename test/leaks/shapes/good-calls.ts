import {
  asyncOperation,
  attemptSignal,
  CircuitBreaker,
  currentAttempt,
  resilient,
  TimeoutPolicy,
} from '../../../lib/index.js';
import { endingOf, later, type Shape } from './shape.js';

const atOnce = async (call: number): Promise<number> => call;

export const goodCalls: readonly Shape[] = [
  {
    name: 'a success under retries, timeout, deadline and breaker',
    endings: { 'succeeded 1': 1 },
    timersLeft: 2,
    begin: ({ signal, clock }) => {
      const circuitBreaker = new CircuitBreaker({ clock });
      const run = resilient(
        { retries: 2, timeout: '1h', deadline: '2h', circuitBreaker, signal, clock },
        atOnce,
      );
      return (call) => endingOf(run(call));
    },
  },
  {
    name: 'a success in a later turn, one at a time',
    endings: { 'succeeded 1': 1 },
    timersLeft: 1,
    together: 1,
    begin: ({ signal, clock }) => {
      const run = resilient({ name: 'later', timeout: '1h', signal, clock }, later);
      return () => endingOf(run());
    },
  },
  {
    name: 'a success whose attempt listens to its signal',
    endings: { 'succeeded 1': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const listen = async (): Promise<void> => {
        const attempt = currentAttempt().signal;
        attempt.addEventListener('abort', () => undefined);
        await later();
      };
      const run = resilient({ timeout: '1h', signal, clock }, listen);
      return () => endingOf(run());
    },
  },
  {
    name: 'a success of a call that an attempt of another one started',
    endings: { 'succeeded 1': 1 },
    timersLeft: 2,
    begin: ({ signal, clock }) => {
      const inner = resilient({ name: 'inner', timeout: '1h', signal, clock }, later);
      const outer = resilient({ name: 'outer', timeout: '2h', signal, clock }, async () => {
        await Promise.all([inner(), inner()]);
        return 2;
      });
      return () => endingOf(outer());
    },
  },
  {
    name: 'a success of an operation that is made for the call',
    endings: { 'succeeded 1': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      return () => {
        const operation = asyncOperation('made', async () => attemptSignal()?.aborted, { clock })
          .withTimeout(new TimeoutPolicy('1h', { clock }))
          .withSignal(signal);
        return endingOf(operation.run());
      };
    },
  },
  {
    name: 'a success under a breaker of its own, one for each of many keys',
    endings: { 'succeeded 1': 1 },
    begin: ({ signal, clock }) => {
      const tenants = new CircuitBreaker({ name: 'tenants', maxKeys: 100, clock });
      const circuitBreaker = (call: number): CircuitBreaker => tenants.keyed(`tenant ${call}`);
      const run = resilient({ circuitBreaker, signal, clock }, atOnce);
      return (call) => endingOf(run(call));
    },
  },
];
