export type { IoredisLike, NodeRedisLike, RedisClient } from './redis/redis-client.js';
export { RedisIdempotencyStore } from './redis/redis-idempotency-store.js';
export type { RedisIdempotencyStoreOptions } from './redis/redis-idempotency-store.js';
export type { ValueCodec } from './redis/value-codec.js';
