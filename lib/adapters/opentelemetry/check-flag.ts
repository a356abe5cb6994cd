import { refuse } from '../../errors/check.js';

/** A switch that is off unless it is given. */
export function checkFlag(option: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  return refuse(option, value, 'give true or false');
}
