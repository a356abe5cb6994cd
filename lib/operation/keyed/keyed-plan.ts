import type { IdempotencyPolicy } from '../../policies/idempotency/idempotency-policy.js';
import type { IdempotencyStore } from '../../policies/idempotency/idempotency-store.js';
import { InMemoryIdempotencyStore } from '../../policies/idempotency/in-memory-idempotency-store.js';
import type { Plan } from '../plan.js';
import type { Flight, Flights } from './flight.js';

/** A store, and what this process is doing with its keys. */
export interface KeySpace {
  readonly store: IdempotencyStore;
  readonly flights: Flights;
}

/** The part of a plan that is about keys. */
export interface KeyedPlan {
  readonly policy: IdempotencyPolicy;
  /** What is put before each key in the store. */
  readonly scope: string;
  /** The operation without its key: what is executed. */
  readonly work: Plan;
  readonly spaceFor: (instance: unknown) => KeySpace;
}

/** Who shares a store shares what is in flight. */
const flightsByStore = new WeakMap<IdempotencyStore, Flights>();

export function keyedPlan(name: string, policy: IdempotencyPolicy, work: Plan): KeyedPlan {
  const { store } = policy;
  const scope = store === undefined ? '' : `${policy.scope ?? name}\u0000`;
  return { policy, scope, work, spaceFor: store === undefined ? ownSpaces(work) : always(spaceOf(store)) };
}

/**
 * Without a store of its own an operation has one in its application. Outside any, each instance has its own, so that
 * nothing leaks from one test to the next.
 */
function ownSpaces({ host }: Plan): KeyedPlan['spaceFor'] {
  const create = (): KeySpace => spaceOf(new InMemoryIdempotencyStore({ clock: host.clock }));
  const shared = create();
  if (host.isApplication) return always(shared);
  const byInstance = new WeakMap<object, KeySpace>();
  return (instance) => {
    if (typeof instance !== 'object' || instance === null) return shared;
    let space = byInstance.get(instance);
    if (space === undefined) byInstance.set(instance, (space = create()));
    return space;
  };
}

function always(space: KeySpace): KeyedPlan['spaceFor'] {
  return () => space;
}

function spaceOf(store: IdempotencyStore): KeySpace {
  let flights = flightsByStore.get(store);
  if (flights === undefined) flightsByStore.set(store, (flights = new Map<string, Flight>()));
  return { store, flights };
}
