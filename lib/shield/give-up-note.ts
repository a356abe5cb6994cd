import type { GaveUpReason } from '../operation/shielding.js';
import type { ShieldProfileName } from './profiles.js';

const WORDS: Readonly<Record<GaveUpReason, string>> = {
  attempts_exhausted: 'attempts exhausted',
  budget_exhausted: 'budget exhausted',
  non_retryable: 'non-retryable exception',
  not_admitted: 'not admitted',
  deadline_exhausted: 'deadline exhausted',
};

/** `shield: attempts exhausted after 4/4 attempts in 3.73s (api profile)`, in the words of the original. */
export function giveUpNote(
  reason: GaveUpReason,
  attempts: number,
  most: number,
  seconds: number,
  profile: ShieldProfileName,
): string {
  return `shield: ${WORDS[reason]} after ${attempts}/${most} attempts in ${seconds.toFixed(2)}s (${profile} profile)`;
}

/** An error that many calls share collects no notes without end. */
const MOST_NOTES = 8;

/** Adds a note to the error's list, which nobody sees who does not ask for it. What cannot take one is left as it is. */
export function addNote(error: unknown, note: string): void {
  if ((typeof error !== 'object' && typeof error !== 'function') || error === null) return;
  try {
    const { notes } = error as { notes?: unknown };
    if (notes === undefined) {
      if (!Object.isExtensible(error)) return;
      Object.defineProperty(error, 'notes', {
        value: [note],
        enumerable: false,
        configurable: true,
        writable: true,
      });
    } else if (Array.isArray(notes) && !Object.isFrozen(notes) && notes.length < MOST_NOTES) notes.push(note);
  } catch {
    // A proxy, or a setter of somebody else: the note is in the report all the same.
  }
}
