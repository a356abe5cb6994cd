import { Agent, get } from 'node:http';
import { Worker } from 'node:worker_threads';

/** A server in a thread of its own: it does well while the event loop of the test is blocked. */
const SERVER = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const answer = (_, response) => void setTimeout(() => response.end('fine'), workerData);
const server = createServer(answer).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

export interface RealUpstream {
  readonly call: () => Promise<string>;
  close(): Promise<void>;
}

/** A real server on the loopback interface that answers after so many milliseconds, and its client. */
export async function realUpstream(latencyMs: number): Promise<RealUpstream> {
  const worker = new Worker(SERVER, { eval: true, workerData: latencyMs });
  const port = await new Promise<number>((resolve) => void worker.once('message', resolve));
  const agent = new Agent({ keepAlive: true });
  const call = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, agent }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => resolve(body));
      });
      request.on('error', reject);
    });
  const close = async (): Promise<void> => {
    agent.destroy();
    await worker.terminate();
  };
  return { call, close };
}

/** Keeps the event loop from turning. */
export function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/**
 * Some turns of the event loop, in which what was begun is sent. What comes after it runs where callbacks of sockets do,
 * just before timers: after a block there the loop would look at its timers first, and at its sockets then.
 */
export function moment(ms = 10): Promise<void> {
  return new Promise((resolve) => void setTimeout(() => setImmediate(resolve), ms));
}
