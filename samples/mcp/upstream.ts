import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A weather station on this machine that can be switched off. */
export async function startStation() {
  const station = { isDown: false, asked: 0, host: '', close };
  const server = createServer((_request, response) => {
    station.asked += 1;
    response.writeHead(station.isDown ? 503 : 200, { 'content-type': 'application/json' });
    response.end(station.isDown ? '{}' : '{"weather":"sunny"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  station.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return station;

  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}
