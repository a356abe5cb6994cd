/** One line of the log, not written yet. Lines with the same subject and fact are counted together. */
export interface Line {
  readonly level: 'error' | 'warn' | 'log' | 'debug';
  /** The operation, circuit breaker, shield or concurrency limit. */
  readonly subject: string;
  readonly fact: string;
  readonly details: string;
}

/** Which lines are wanted, and how much they may say. */
export interface LineOptions {
  readonly messages: boolean;
  readonly attempts: boolean;
}

/** What would begin a line of its own, or move the cursor, in whatever shows the log. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const LONGEST_TEXT = 200;

/** A text from elsewhere as a part of one log line: nothing in it can pass for a line of its own. */
export function oneLine(text: string): string {
  const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return cut.replaceAll(UNPRINTABLE, escaped);
}

/** `1 attempt`, `1,234 attempts`. */
export function counted(count: number, what: string): string {
  return `${thousands(count)} ${what}${count === 1 ? '' : 's'}`;
}

export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
