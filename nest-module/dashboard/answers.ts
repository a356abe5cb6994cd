import type { ServerResponse } from 'node:http';

/** On every answer: nothing is kept, guessed or shown on pages of others. */
const ALWAYS = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Begins an answer. */
export function writeHead(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
): void {
  response.statusCode = status;
  // On Express other sites have been given leave by now, where the application gives it for everything.
  for (const name of response.getHeaderNames())
    if (name.startsWith('access-control-')) response.removeHeader(name);
  for (const [name, value] of Object.entries({ ...ALWAYS, ...headers })) response.setHeader(name, value);
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  writeHead(response, status, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
