import { createHash } from 'node:crypto';

/** A text that stands for another one, which cannot be read from it. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** How a key is shown: enough of its digest to find it again, and nothing of the key. */
export function maskedKey(key: string): string {
  return `sha256:${digest(key).slice(0, 16)}`;
}
