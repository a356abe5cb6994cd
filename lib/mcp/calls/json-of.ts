import type { Body } from '../http/body.js';

/** `undefined` for what is no JSON, or was cut. */
export function jsonOf({ text, isCut }: Body): unknown {
  if (text === null || isCut) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
