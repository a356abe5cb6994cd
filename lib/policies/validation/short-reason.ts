/** How many problems a reason tells before it only counts them, and how long each may be. */
const SHOWN = 3;
const LONGEST = 200;

/** Why a value was rejected, short enough for a log line: the first problems, and how many more there are. */
export function shortReason<P>(problems: Iterable<P>, tell: (problem: P) => string): string {
  const all = Array.from(problems);
  const shown = all.slice(0, SHOWN).map((problem) => cut(tell(problem)));
  const more = all.length - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${more} more` : shown.join('; ') || 'the value is not valid';
}

/** Keys of a value stand in paths, and may be of any length. */
export function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
