import { refuse } from '../../errors/check.js';
import { checkMoment } from '../../report/execution-attempt.js';

const USUAL_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/**
 * A moment in UTC, with microseconds and always of the same length, so that the order of the texts is that of time.
 * @throws {ConfigurationError} for a date that is none, or outside the years 0 to 9999.
 */
export function wallText(option: string, moment: unknown): string {
  const iso = new Date(checkMoment(option, moment)).toISOString();
  if (iso.length !== USUAL_LENGTH) refuse(option, moment, 'give a date of the years 0 to 9999');
  return `${iso.slice(0, -1)}000+00:00`;
}
