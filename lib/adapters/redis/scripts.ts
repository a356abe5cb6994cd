import { RedisScript } from './redis-client.js';

/*
 * A key of an operation is one hash. `s`: `r` while somebody executes, `d` when it is done; `t`: the token of who
 * executes or did; `f`: the digest of the payload; `v`: the outcome; `w`: until when somebody in another process
 * waits, in milliseconds of the server's clock. The lease of who executes is the time that the key has to live.
 */

const NOW = "local time = redis.call('TIME')\nlocal now = time[1] * 1000 + math.floor(time[2] / 1000)";

/** token, lease ms, fingerprint, how long whoever asks will wait (0: not at all) */
export const CLAIM = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], 's', 't', 'f', 'v')
if not found[1] or (found[1] == 'r' and found[2] == ARGV[1]) then
  redis.call('HSET', KEYS[1], 's', 'r', 't', ARGV[1], 'f', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {'owned'}
end
if found[1] == 'd' then return {'done', found[3], found[4]} end
if ARGV[4] ~= '0' then
  ${NOW}
  redis.call('HSET', KEYS[1], 'w', now + ARGV[4])
end
return {'in_flight', found[3], found[2], redis.call('PTTL', KEYS[1])}`);

/** token, ttl ms, outcome, fingerprint, channel, message: 1 where it is kept, 0 where somebody else has the key */
export const COMPLETE = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], 't', 'w')
if found[1] and found[1] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 's', 'd', 't', ARGV[1], 'f', ARGV[4], 'v', ARGV[3])
redis.call('HDEL', KEYS[1], 'w')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if found[2] then redis.call('PUBLISH', ARGV[5], ARGV[6]) end
return 1`);

/** token, channel, message */
export const RELEASE = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], 's', 't', 'w')
if found[1] ~= 'r' or found[2] ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
if found[3] then redis.call('PUBLISH', ARGV[2], ARGV[3]) end
return 1`);

/** token, lease ms: 1 while the key is still owned. A key that has gone is not made again: it may have been released. */
export const EXTEND = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], 's', 't')
if found[1] ~= 'r' or found[2] ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/** token: for how many ms somebody elsewhere will still wait */
export const AWAITED = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], 't', 'w')
if found[1] ~= ARGV[1] or not found[2] then return 0 end
${NOW}
return math.max(0, found[2] - now)`);

/** token: 1 while that one still executes */
export const RUNNING = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], 's', 't')
if found[1] == 'r' and found[2] == ARGV[1] then return 1 end
return 0`);
