import type { Reconciliation } from './reconciliation.js';
import { table } from './table.js';

const SHOWN = 5;

/** The reconciliation with every upstream, by its name, as a table. */
export function accountsTable(accounts: Readonly<Record<string, Reconciliation>>): string {
  const all = Object.entries(accounts);
  // Seen on a machine without a moment to spare only.
  const someUnsent = all.some(([, { unsent }]) => unsent > 0);
  const rows = all.map(([upstream, { reported, refused, fallbacks, unsent, expected, arrived }]) => [
    upstream,
    reported,
    refused,
    fallbacks,
    ...(someUnsent ? [unsent] : []),
    expected,
    arrived,
    arrived - expected,
  ]);
  const unsentColumn = someUnsent ? ['timed out unsent'] : [];
  return table(
    [
      'upstream',
      'attempts',
      'refused',
      'fallbacks',
      ...unsentColumn,
      'requests due',
      'requests seen',
      'difference',
    ],
    rows,
  );
}

/** Whether the reports and the upstreams tell the same, in words. */
export function verdict(accounts: Readonly<Record<string, Reconciliation>>): string {
  const all = Object.entries(accounts);
  const lines = all.flatMap(([upstream, { missing, surplus }]) => [
    ...some(`${upstream} never saw`, missing),
    ...some(`${upstream} saw, and no report has,`, surplus),
  ]);
  if (lines.length > 0) return `The books do not balance.\n${lines.join('\n')}`;
  const unsent = all.reduce((sum, [, account]) => sum + account.unsent, 0);
  return (
    'The books balance: each attempt that sent a request is one that its upstream saw, and the other way round.' +
    (unsent === 0
      ? ''
      : `\nThis machine was busy: the time of ${unsent} attempts was up before they could send theirs.`)
  );
}

function some(what: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const rest = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
  return [`  ${what} ${ids.slice(0, SHOWN).join(', ')}${rest}`];
}
