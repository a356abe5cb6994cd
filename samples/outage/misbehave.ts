import type { ServerResponse } from 'node:http';
import type { Fault } from './fault-schedule.js';

/** Longer than any client waits. */
const SLOW_MS = 2_000;

/** Answers one request, well or badly. */
export function misbehave(fault: Fault, response: ServerResponse, goodAnswer: object, thinkMs: number): void {
  const body = JSON.stringify(goodAnswer);
  switch (fault) {
    case 'none':
      return later(response, thinkMs, () => send(response, 200, body));
    case 'slow':
      return later(response, SLOW_MS, () => send(response, 200, body));
    case 'status 500':
      return send(response, 500, '{"error":"out of order"}');
    case 'status 429':
      return send(response, 429, '{"error":"too many requests"}');
    case 'reset':
      return void response.socket?.resetAndDestroy();
    case 'half body':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      return void response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
    case 'invalid JSON':
      return send(response, 200, body.slice(0, body.length / 2));
    case 'wrong value':
      return send(response, 200, '{}');
    case 'down':
      return void response.socket?.destroy();
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** Does it after a while, unless the caller has gone away by then. */
function later(response: ServerResponse, ms: number, answer: () => void): void {
  const timer = setTimeout(answer, ms);
  response.once('close', () => clearTimeout(timer));
}
