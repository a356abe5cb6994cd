import { RedisScript } from './redis-client.js';

/*
 * One hash a breaker. `r:<replica>`: what a replica says, `<until>|<epoch>|<vote>|<calls>|<failures>|<wants>|
 * <number>`; `p:<replica>`: until when it may probe; `u`: until when the fleet's breaker is open, absent while it is
 * closed; `e`: the epoch, which every change of it begins anew. Moments are milliseconds of the server's clock.
 */

/**
 * Says what one replica knows, and gives what the fleet has come to.
 *
 * ARGV: replica, how long its word holds (ms), the epoch that it goes by, vote (1: its own rule holds it open), calls,
 * failures, quorum, failure rate (0: none), minimum of calls, recovery (ms), wants a probe (1), lease (ms), probes of the
 * fleet at a time, what became of its probe ('', 'good', 'bad', 'unused'), the number of this message: one that comes
 * after a later one of its replica changes nothing.
 *
 * The calls of all open it when as many replicas as make a quorum have that rate: a busy one with a broken network must
 * not open the others'. A lease that is wanted and not used yet begins anew, so that a probe has nearly all of it.
 *
 * Gives the epoch, ms until a probe may pass (-1: closed), ms of its lease (0: none), replicas, votes, how many others
 * want to probe and may not.
 */
export const SYNC = new RedisScript(`
local key, me = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local epoch = tonumber(redis.call('HGET', key, 'e') or '0')
local till = tonumber(redis.call('HGET', key, 'u') or '0')
local recovery = tonumber(ARGV[10])
local mine = 'p:' .. me

local function begin(untilMs)
  epoch = epoch + 1
  till = untilMs
  redis.call('HSET', key, 'e', epoch)
  if untilMs == 0 then redis.call('HDEL', key, 'u') else redis.call('HSET', key, 'u', untilMs) end
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'p:' then redis.call('HDEL', key, field) end
  end
end

local last = string.match(redis.call('HGET', key, 'r:' .. me) or '', '(%d+)$')
local isLate = tonumber(ARGV[15]) <= tonumber(last or '0')

local isHeld = tonumber(redis.call('HGET', key, mine) or '0') >= now
if not isLate and ARGV[14] ~= '' and tonumber(ARGV[3]) == epoch and isHeld then
  redis.call('HDEL', key, mine)
  if ARGV[14] == 'good' then begin(0) elseif ARGV[14] == 'bad' then begin(now + recovery) end
end

if not isLate then
  local word = {now + ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[11], ARGV[15]}
  redis.call('HSET', key, 'r:' .. me, string.format('%d|%d|%d|%d|%d|%d|%d', unpack(word)))
end
local rate = tonumber(ARGV[8])
local replicas, votes, sick, calls, failures, leases, waiting = 0, 0, 0, 0, 0, 0, 0
local all = redis.call('HGETALL', key)
local holds = {}
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 2) == 'p:' then
    if tonumber(all[i + 1]) < now then
      redis.call('HDEL', key, all[i])
    else
      leases = leases + 1
      holds[string.sub(all[i], 3)] = true
    end
  end
end
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 2) == 'r:' then
    local t, e, v, c, f, w = string.match(all[i + 1], '(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)')
    if tonumber(t) < now then
      redis.call('HDEL', key, all[i])
    else
      replicas = replicas + 1
      local who = string.sub(all[i], 3)
      if w == '1' and who ~= me and not holds[who] then waiting = waiting + 1 end
      if tonumber(e) == epoch then
        votes = votes + v
        calls = calls + c
        failures = failures + f
        if v == '1' or (rate > 0 and tonumber(c) > 0 and f / c >= rate) then sick = sick + 1 end
      end
    end
  end
end

if till == 0 then
  local tripped = rate > 0 and calls >= tonumber(ARGV[9]) and calls > 0 and failures / calls >= rate
  local quorum = tonumber(ARGV[7])
  if votes >= quorum or (tripped and sick >= quorum) then begin(now + recovery) end
end

local lease = tonumber(redis.call('HGET', key, mine) or '0')
local mayHave = holds[me] or leases < tonumber(ARGV[13])
if not isLate and till > 0 and now >= till and ARGV[11] == '1' and mayHave then
  lease = now + ARGV[12]
  redis.call('HSET', key, mine, lease)
end
redis.call('PEXPIRE', key, math.max(60000, 10 * ARGV[2] + 2 * recovery + ARGV[12]))
local wait = -1
if till > 0 then wait = math.max(0, till - now) end
return {epoch, wait, math.max(0, lease - now), replicas, votes, waiting}`);

/** The replica goes: what it said does not count any more. ARGV: replica */
export const LEAVE = new RedisScript(`
redis.call('HDEL', KEYS[1], 'r:' .. ARGV[1], 'p:' .. ARGV[1])
return 1`);
