import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../lib/container.js';
import { rawRequest, type GivenRequest } from '../site/raw-http.js';

const LONGEST_BYTES = 8_192;

/** The object of JSON that a request carries; `undefined` for anything else, and for what is too long. */
export async function readBody(
  request: GivenRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  // An application may do without a body parser, or have one that leaves bytes or text.
  const given = request.body ?? (await readText(rawRequest(request)));
  const body = typeof given === 'string' || Buffer.isBuffer(given) ? parsed(String(given)) : given;
  return isRecord(body) ? body : undefined;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (request.readableEnded) return '';
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONGEST_BYTES) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
