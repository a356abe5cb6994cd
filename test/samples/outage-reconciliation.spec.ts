import { describe, expect, it } from '@jest/globals';
import { accountsTable, verdict } from '../../samples/outage/accounts.js';
import { balances, reconcile } from '../../samples/outage/reconciliation.js';
import { fixedReport } from './fixed-reports.js';

const reports = [
  fixedReport(['bad', 'good'], { callId: 'a' }),
  fixedReport(['bad', 'refused', 'fallback'], { callId: 'b' }),
];

describe('the reconciliation', () => {
  it('balances when each attempt that ran is one request', () => {
    const account = reconcile(reports, ['a/1', 'b/1', 'a/2']);
    expect(account).toEqual({
      reported: 5,
      refused: 1,
      fallbacks: 1,
      unsent: 0,
      expected: 3,
      arrived: 3,
      missing: [],
      surplus: [],
    });
    expect(balances(account)).toBe(true);
  });

  it('names an attempt that no upstream saw', () => {
    const account = reconcile(reports, ['a/1', 'a/2']);
    expect(account.missing).toEqual(['b/1']);
    expect(balances(account)).toBe(false);
  });

  it('names a request that no report has, as one for a refused attempt or a second one for the same', () => {
    const account = reconcile(reports, ['a/1', 'a/2', 'b/1', 'b/2', 'a/2', 'undefined']);
    expect(account.surplus).toEqual(['b/2', 'a/2', 'undefined']);
    expect(balances(account)).toBe(false);
  });

  it('is not deceived by a missing and a surplus request that make the numbers equal', () => {
    const account = reconcile(reports, ['a/1', 'a/2', 'c/1']);
    expect(account.arrived).toBe(account.expected);
    expect(balances(account)).toBe(false);
  });

  it('accepts, and counts, an attempt that timed out before its request was sent', () => {
    const account = reconcile([fixedReport(['late', 'good'], { callId: 'd' })], ['d/2']);
    expect(account).toMatchObject({ unsent: 1, expected: 1, arrived: 1 });
    expect(balances(account)).toBe(true);
  });
});

describe('the accounts', () => {
  it('stand in a table, without a column that is empty on any calm machine', () => {
    expect(accountsTable({ rates: reconcile(reports, ['a/1', 'b/1', 'a/2']) })).toBe(
      [
        'upstream  attempts  refused  fallbacks  requests due  requests seen  difference',
        '────────  ────────  ───────  ─────────  ────────────  ─────────────  ──────────',
        'rates            5        1          1             3              3           0',
      ].join('\n'),
    );
  });

  it('show what was not sent where there is any', () => {
    const accounts = { rates: reconcile([fixedReport(['late'], { callId: 'd' })], []) };
    expect(accountsTable(accounts)).toContain('timed out unsent');
    expect(verdict(accounts)).toMatch(/^The books balance[^]*the time of 1 attempts was up/);
  });

  it('end in a verdict', () => {
    expect(verdict({ rates: reconcile(reports, ['a/1', 'b/1', 'a/2']) })).toMatch(/^The books balance/);
    expect(verdict({ rates: reconcile(reports, ['a/1', 'a/2', 'x/1']) })).toBe(
      ['The books do not balance.', '  rates never saw b/1', '  rates saw, and no report has, x/1'].join(
        '\n',
      ),
    );
  });

  it('name a few of many differences', () => {
    const arrivals = Array.from({ length: 9 }, (_, index) => `x/${index}`);
    expect(verdict({ rates: reconcile([], arrivals) })).toContain('x/0, x/1, x/2, x/3, x/4 and 4 more');
  });
});
