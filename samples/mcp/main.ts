// An agent's conversation with the MCP server while a service fails and comes back: closed, open, half-open, closed.
// The agent is scripted and time is a fake clock's, so it takes none. The requests are real. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/mcp/main.js
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { ReliabilityMcp } from 'relprim/mcp';
import { FakeClock, seededRandom } from 'relprim/testing';
import { startStation } from './upstream.js';

const station = await startStation();
const clock = new FakeClock();
const mcp = new ReliabilityMcp({ allowHosts: [station.host], clock, random: seededRandom(1) });
const client = new Client({ name: 'scripted-agent', version: '1.0.0' });
const [ours, theirs] = InMemoryTransport.createLinkedPair();
await mcp.connect(theirs);
await client.connect(ours);

/** Says what the agent asks for, and what it is told: the lines that are the same in every run. */
async function ask(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  console.log(`agent   ${name} ${JSON.stringify(args).replaceAll(station.host, 'station')}`);
  const result = await clock.settle(client.callTool({ name, arguments: args }));
  const [summary] = result.content as { text: string }[];
  for (const line of summary?.text.split('\n') ?? [])
    if (!line.startsWith('callId')) console.log(`server  ${line.replaceAll(station.host, 'station')}`);
  return result.structuredContent as Record<string, unknown>;
}
const forecast = (more: Record<string, unknown> = {}) =>
  ask('reliable_http_call', { breaker: 'station', url: `http://${station.host}/today`, ...more });

// One breaker for the dependency; the client wants to hear of its changes.
await ask('create_breaker', { name: 'station', window: 4, cooldownSeconds: 30, probe: 2 });
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
  console.log(`server  (notification) ${params.uri} has changed`),
);
await client.subscribeResource({ uri: 'reliable://breaker/station' });

console.log('\n--- the station is well: closed');
assert.equal((await forecast())['outcome'], 'ok');

console.log('\n--- the station is down: closed, then open');
station.isDown = true;
assert.equal((await forecast({ maxAttempts: 3, jitter: 0 }))['outcome'], 'failed');
assert.equal(station.asked, 4);

console.log('\n--- while it is open nobody is asked');
assert.equal((await forecast({ fallback: { weather: 'as yesterday' } }))['outcome'], 'fallback');
assert.equal((await forecast())['outcome'], 'rejected');
assert.equal(station.asked, 4);

console.log('\n--- after the cool-down two probes must succeed: half-open, then closed');
station.isDown = false;
await clock.advance('30s');
await ask('get_breaker_state', { name: 'station' });
assert.equal((await forecast())['outcome'], 'ok');
assert.equal((await forecast())['outcome'], 'ok');
assert.equal(station.asked, 6);

await client.close();
await mcp.close();
await station.close();
