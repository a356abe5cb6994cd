/*
 * The three forms of an HTTP date (RFC 9110, 5.6.7), and the ISO form that some providers send. Strict on purpose: the
 * platform's parser takes `-3` for a year and a date without a zone for local time.
 */
const TIME = '(?<time>\\d\\d:\\d\\d:\\d\\d)';
const HTTP_DATES = [
  `[a-z]{3}, (?<day>\\d{1,2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} (?:gmt|utc)`,
  `[a-z]{6,9}, (?<day>\\d{1,2})-(?<month>[a-z]{3})-(?<year>\\d\\d) ${TIME} (?:gmt|utc)`,
  `[a-z]{3} (?<month>[a-z]{3}) {1,2}(?<day>\\d{1,2}) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`, 'i'));
const ISO_DATE = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d:\d\d)$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Milliseconds since 1970 of a date in a header; `undefined` for anything else. */
export function instantMs(text: string, nowMs: number): number | undefined {
  if (ISO_DATE.test(text)) return finite(Date.parse(text.replace(' ', 'T')));
  for (const form of HTTP_DATES) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return fromParts(parts, nowMs);
  }
  return undefined;
}

function fromParts({ day = '', month = '', year = '', time = '' }: Record<string, string>, nowMs: number) {
  const at = MONTHS.indexOf(month.toLowerCase());
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  if (at < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const ms = Date.UTC(fullYear(year, nowMs), at, Number(day), hours, minutes, seconds);
  // Otherwise the 31st of February would be one in March.
  return new Date(Date.UTC(fullYear(year, nowMs), at, Number(day))).getUTCMonth() === at ? ms : undefined;
}

/** Two digits mean the year of this century, unless that is more than 50 years ahead. */
function fullYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined;
}
