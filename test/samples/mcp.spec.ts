import { expect, it, jest } from '@jest/globals';

const CONVERSATION = `agent   create_breaker {"name":"station","window":4,"cooldownSeconds":30,"probe":2}
server  made breaker station
server  station: closed, 0 of the last 0 calls failed

--- the station is well: closed
agent   reliable_http_call {"breaker":"station","url":"http://station/today"}
server  ok, status 200 after 0 s, 1 attempt
server  #1 succeeded after 0 s
server  breaker station: closed, 0 of the last 1 calls failed

--- the station is down: closed, then open
agent   reliable_http_call {"breaker":"station","url":"http://station/today","maxAttempts":3,"jitter":0}
server  (notification) reliable://breaker/station has changed
server  failed, status 503 after 0.6 s, 3 attempts
server  HttpStatusError: the upstream answered 503
server  It was retried as often as it may be. Do not retry at once; try later.
server  #1 failed after 0 s: HttpStatusError (the upstream answered 503); waited 0.2 s (backoff)
server  #2 failed after 0 s: HttpStatusError (the upstream answered 503); waited 0.4 s (backoff)
server  #3 failed after 0 s: HttpStatusError (the upstream answered 503)
server  breaker station: open, opened by failure_rate, a call may pass in 30 s, 3 of the last 4 calls failed

--- while it is open nobody is asked
agent   reliable_http_call {"breaker":"station","url":"http://station/today","fallback":{"weather":"as yesterday"}}
server  fallback after 0 s, 0 attempts
server  #1 refused: circuit breaker 'station' is open; a call may pass in 30 s
server  #2 fallback succeeded after 0 s by given value
server  breaker station: open, opened by failure_rate, a call may pass in 30 s, 3 of the last 4 calls failed
server  the fallback value: {"weather":"as yesterday"}
agent   reliable_http_call {"breaker":"station","url":"http://station/today"}
server  rejected after 0 s, 0 attempts
server  CircuitBreakerOpenError: circuit breaker 'station' is open; a call may pass in 30 s
server  A call may pass in 30 s; do not call before that. Go on without this dependency, or give a fallback.
server  #1 refused: circuit breaker 'station' is open; a call may pass in 30 s
server  breaker station: open, opened by failure_rate, a call may pass in 30 s, 3 of the last 4 calls failed

--- after the cool-down two probes must succeed: half-open, then closed
agent   get_breaker_state {"name":"station"}
server  station: open, opened by failure_rate, the next call will be a probe, 3 of the last 4 calls failed
agent   reliable_http_call {"breaker":"station","url":"http://station/today"}
server  (notification) reliable://breaker/station has changed
server  ok, status 200 after 0 s, 1 attempt
server  #1 succeeded after 0 s
server  breaker station: half_open, opened by failure_rate, 3 of the last 4 calls failed
agent   reliable_http_call {"breaker":"station","url":"http://station/today"}
server  (notification) reliable://breaker/station has changed
server  ok, status 200 after 0 s, 1 attempt
server  #1 succeeded after 0 s
server  breaker station: closed, 0 of the last 0 calls failed`;

it('the conversation of samples/mcp goes from closed to open, to half-open, and back to closed', async () => {
  const lines: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  await import('../../samples/mcp/main.js');
  log.mockRestore();
  expect(lines.join('\n')).toBe(CONVERSATION);
}, 30_000);
