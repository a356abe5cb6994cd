import type { IncomingHttpHeaders } from 'node:http';
import { visible } from '../tools/fence.js';

/** What an agent may need of an answer. Others, cookies and challenges above all, are not passed on. */
const SHOWN =
  /^(?:allow|cache-control|content-length|content-type|date|etag|last-modified|link|location|retry-after(?:-ms)?|(?:x-)?ratelimit(?:-[a-z-]+)?|x-request-id)$/;
const MOST = 30;
const LONGEST = 300;

/** The headers that are shown, cut, without secrets and without letters that no screen shows. */
export function shownHeaders(
  headers: IncomingHttpHeaders,
  redact: (text: string) => string,
): Record<string, string> {
  const shown: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !SHOWN.test(name) || shown.length >= MOST) continue;
    const text = visible(redact(Array.isArray(value) ? value.join(', ') : value));
    shown.push([name, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text]);
  }
  return Object.fromEntries(shown);
}
