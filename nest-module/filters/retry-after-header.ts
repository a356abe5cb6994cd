/**
 * Seconds as `Retry-After` has them: whole, as less would be too early, and never 0, which some clients take for
 * "nothing was said". `undefined` for what is no time.
 */
export function retryAfterHeader(seconds: unknown): string | undefined {
  if (typeof seconds !== 'number' || !(seconds >= 0)) return undefined;
  const whole = Math.max(1, Math.ceil(seconds));
  return Number.isSafeInteger(whole) ? String(whole) : undefined;
}
