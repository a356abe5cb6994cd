import { ArgumentError } from '../tools/argument-error.js';

const MOST_BYTES = 1_048_576;

/** An argument that may be anything, as JSON. @throws {ArgumentError} when there is too much of it. */
export function jsonText(argument: string, value: unknown): string {
  return checkSize(argument, stringify(argument, value));
}

/** @throws {ArgumentError} when there is too much of it. */
export function checkSize(argument: string, text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  throw new ArgumentError(`${argument}: give at most ${MOST_BYTES} bytes`);
}

function stringify(argument: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // It came as JSON, so this is all that can be wrong with it.
    throw new ArgumentError(`${argument}: it is nested too deeply; give less of it`);
  }
}
