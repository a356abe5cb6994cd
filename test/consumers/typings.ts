// Compiled without @types/node: our typings take AbortSignal from the platform, whichever it is, and nothing else.
export type { CircuitBreaker } from 'relprim';
export type { FakeClock } from 'relprim/testing';
export type { RedisIdempotencyStore } from 'relprim/redis';
