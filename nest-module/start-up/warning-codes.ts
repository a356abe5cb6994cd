/** What is legal, and harmful more often than not. Each has a page in `docs/warnings`. */
export const WARNING_CODES = [
  'retries-without-retry-on',
  'duration-in-milliseconds',
  'retries-inside-retries',
  'fallback-never-runs',
  'waits-beyond-deadline',
  'unsafe-retry',
  'duplicate-operation-name',
  'out-of-reach',
  'shield-not-shared',
] as const;

/** The code of a warning at start-up, for `silenceWarnings`. */
export type WarningCode = (typeof WARNING_CODES)[number];
