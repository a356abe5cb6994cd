export type { IoredisLike, NodeRedisLike, RedisClient } from './redis/redis-client.js';
export { RedisIdempotencyStore } from './redis/redis-idempotency-store.js';
export type { RedisIdempotencyStoreOptions } from './redis/redis-idempotency-store.js';
export type { ValueCodec } from './redis/value-codec.js';
export { shareCircuitBreakers } from './redis/share-circuit-breakers.js';
export type { ShareCircuitBreakersOptions } from './redis/share-circuit-breakers.js';
export type { SharedCircuitBreakers } from './redis/shared-circuit-breakers.js';
export type { SharingState } from './redis/fleet-events.js';
