import { RedisScript } from './redis-client.js';

/*
 * One hash a breaker. `r:<replica>`: what a replica says, `<until>|<epoch>|<vote>|<calls>|<failures>|<wants>|
 * <number>`; `p:<replica>`: until when it may probe; `u`: until when the fleet's breaker is open, 0 while it is closed;
 * `f`: its probes that have failed in a row; `e`: the epoch, which every change of it begins anew; `c`: the epoch in
 * which it closed last; `t`: when the latest message came. Moments are milliseconds of the server's clock.
 */

/**
 * Says what one replica knows, and gives what the fleet has come to.
 *
 * ARGV: replica, how long its word holds (ms), the epoch that it goes by, vote (1: its own rule holds it open), calls,
 * failures, quorum, failure rate (0: none), minimum of calls, recovery: initial (ms), factor, max (ms), jitter and where
 * in that the next one is (0 to 1), failed probes, for how long the fleet holds it open (ms; -1: it does not), wants a
 * probe (1), lease (ms), probes of the fleet at a time, what became of its probe ('', 'good', 'bad', 'unused'; 'reset':
 * an operator closes it for all), the number of this message: one that comes after a later one of its replica changes
 * nothing.
 *
 * The calls of all open it when as many replicas as make a quorum have that rate: a busy one with a broken network must
 * not open the others'. A lease that is wanted and not used yet begins anew, so that a probe has nearly all of it. A
 * reset counts for what was open when it was ordered, and however often it comes, not for what has opened since.
 *
 * A replica that knows a later epoch than the server does has to do with one that has lost something: it was emptied, or
 * another has taken its place. What the replica knows counts then; what leases there are, nobody knows, so that none is
 * given before all of them have ended. Where the clock has been set back, all moments go with it.
 *
 * Gives the epoch, ms until a probe may pass (-1: closed), ms of its lease (0: none), replicas, votes, how many others
 * want to probe and may not, probes that have failed in a row.
 */
export const SYNC = new RedisScript(`
local key, me, quorum, rate = KEYS[1], ARGV[1], tonumber(ARGV[7]), tonumber(ARGV[8])
local said, leaseMs, outcome, number = tonumber(ARGV[3]), tonumber(ARGV[18]), ARGV[20], tonumber(ARGV[21])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local all, raw = {}, redis.call('HGETALL', key)
for i = 1, #raw, 2 do all[raw[i]] = raw[i + 1] end
local function read(field) return tonumber(all[field] or 0) end
local function write(field, value)
  all[field] = value
  redis.call('HSET', key, field, value)
end
local function drop(field)
  all[field] = nil
  redis.call('HDEL', key, field)
end
local function is(field, kind) return string.sub(field, 1, 2) == kind end

local back = read('t') - now
if back > 0 then
  if read('u') > 0 then write('u', read('u') - back) end
  for field, value in pairs(all) do
    if is(field, 'p:') then write(field, value - back) end
    if is(field, 'r:') then
      local untilMs, rest = string.match(value, '^(%d+)(.*)$')
      write(field, string.format('%d', untilMs - back) .. rest)
    end
  end
  write('t', now)
end

local function recovery(failed)
  local ms, factor, most, jitter = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
  for _ = 1, failed do
    if ms >= most or factor <= 1 then break end
    ms = ms * factor
  end
  ms = math.min(ms, most)
  local least = ms * (1 - jitter)
  return math.ceil(least + ARGV[14] * (math.min(ms * (1 + jitter), most) - least))
end
local function become(epoch, untilMs, failed)
  write('e', epoch)
  write('u', untilMs)
  write('f', failed)
  if untilMs == 0 then write('c', epoch) end
  for field in pairs(all) do
    if is(field, 'p:') then drop(field) end
  end
end
local function open(failed) become(read('e') + 1, now + recovery(failed), failed) end
local function close() become(read('e') + 1, 0, 0) end

local mine = 'p:' .. me
local isLate = number <= tonumber(string.match(all['r:' .. me] or '', '(%d+)$') or 0)
if not isLate then
  if said > read('e') then
    local openFor = tonumber(ARGV[16])
    become(said, openFor < 0 and 0 or now + math.max(openFor, leaseMs), tonumber(ARGV[15]))
  end
  if outcome == 'reset' and read('u') > 0 and said >= read('c') then close() end
  if outcome ~= '' and said == read('e') and read(mine) >= now then
    drop(mine)
    if outcome == 'good' then close() elseif outcome == 'bad' then open(read('f') + 1) end
  end
  local word = {now + ARGV[2], said, ARGV[4], ARGV[5], ARGV[6], ARGV[17], number}
  write('r:' .. me, string.format('%d|%d|%d|%d|%d|%d|%d', unpack(word)))
  write('t', now)
end

local replicas, votes, sick, calls, failures, leases, waiting = 0, 0, 0, 0, 0, 0, 0
for field, value in pairs(all) do
  if is(field, 'p:') then
    if tonumber(value) < now then drop(field) else leases = leases + 1 end
  end
end
for field, value in pairs(all) do
  if is(field, 'r:') then
    local t, e, v, c, f, w = string.match(value, '(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)')
    if tonumber(t) < now then
      drop(field)
    else
      replicas = replicas + 1
      local who = string.sub(field, 3)
      if w == '1' and who ~= me and not all['p:' .. who] then waiting = waiting + 1 end
      if tonumber(e) == read('e') then
        votes, calls, failures = votes + v, calls + c, failures + f
        if v == '1' or (rate > 0 and tonumber(c) > 0 and f / c >= rate) then sick = sick + 1 end
      end
    end
  end
end

if read('u') == 0 then
  local tripped = rate > 0 and calls >= tonumber(ARGV[9]) and calls > 0 and failures / calls >= rate
  if votes >= quorum or (tripped and sick >= quorum) then open(0) end
end

local mayHave = all[mine] or leases < tonumber(ARGV[19])
if not isLate and read('u') > 0 and now >= read('u') and ARGV[17] == '1' and mayHave then
  write(mine, now + leaseMs)
end
redis.call('PEXPIRE', key, math.max(60000, math.ceil(10 * ARGV[2] + 2 * ARGV[12] + leaseMs)))
local wait = read('u') > 0 and math.max(0, read('u') - now) or -1
return {read('e'), wait, math.max(0, read(mine) - now), replicas, votes, waiting, read('f')}`);

/** The replica goes: what it said does not count any more. ARGV: replica */
export const LEAVE = new RedisScript(`
redis.call('HDEL', KEYS[1], 'r:' .. ARGV[1], 'p:' .. ARGV[1])
return 1`);
