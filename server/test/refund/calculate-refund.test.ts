import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Minor, minor } from '@krapao/contract/money';
import {
  closedPeriod,
  blockingBalance,
  refundName,
  type Programme,
  calculateRefund,
  refundSource,
} from '../../src/modules/refund/refund.ts';

const both = (units: bigint) => ({ BAHT: minor(units), LAK: minor(units) });
const programme: Programme = {
  isActive: true,
  period: 'week',
  percent: 5,
  maximum: both(1_000_000n),
  minimum: both(100n),
  floor: both(2_000n),
  percentSuccess: 200,
  percentFail: 10,
  info: { th: '', la: '', en: '' },
};
const figures = (sums: Record<string, bigint>, play: bigint) => ({
  sums: new Map<string, Minor>(Object.entries(sums).map(([kind, sum]) => [kind, minor(sum)])),
  play: minor(play),
});

test('the last closed day and week of Bangkok, one moment before a Monday there and at its beginning', () => {
  const monday = Date.parse('2026-11-22T17:00:00.000Z');
  const valuesAt = (moment: number, period: Programme['period']) => {
    const { from, until } = closedPeriod(new Date(moment), period);
    return [from.toISOString(), until.toISOString(), refundSource({ from, until }), refundName({ from, until })];
  };
  assert.deepEqual(valuesAt(monday - 1, 'week'), [
    '2026-11-08T17:00:00.000Z',
    '2026-11-15T17:00:00.000Z',
    'refund:2026-11-09',
    '2026-11-09 – 2026-11-15',
  ]);
  assert.deepEqual(valuesAt(monday, 'week').slice(0, 3), [
    '2026-11-15T17:00:00.000Z',
    '2026-11-22T17:00:00.000Z',
    'refund:2026-11-16',
  ]);
  assert.equal(valuesAt(monday - 1, 'day')[3], '2026-11-21');
  assert.equal(valuesAt(monday, 'day')[3], '2026-11-22');
  // A year, a leap day.
  assert.equal(valuesAt(Date.parse('2028-02-29T17:00:00.000Z'), 'day')[3], '2028-02-29');
  assert.equal(valuesAt(Date.parse('2026-12-31T18:00:00.000Z'), 'week')[3], '2026-12-21 – 2026-12-27');
});

test('kip are given back whole, and never more than was lost, whatever the percentage', () => {
  const lost = figures({ deposit: 12_345_600n }, -12_345_600n);
  assert.equal(calculateRefund(lost, programme, 'BAHT').amount, 617_280n);
  assert.equal(calculateRefund(lost, { ...programme, percent: 0.33 }, 'LAK').amount, 40_700n, '407.4048 kip');
  assert.equal(
    calculateRefund(lost, { ...programme, percent: 250, maximum: both(10n ** 15n) }, 'BAHT').amount,
    12_345_600n,
  );
  assert.equal(calculateRefund(lost, { ...programme, maximum: both(150n) }, 'LAK').amount, 100n);
});

test('the figures of every hundredth of small amounts: at most the share, less than a step below it', () => {
  for (let paidIn = -3n; paidIn <= 60n; paidIn += 1n) {
    for (let lost = -3n; lost <= 60n; lost += 1n) {
      for (const percent of [0, 0.01, 1, 33.33, 99.99, 100]) {
        const { amount } = calculateRefund(figures({ deposit: paidIn }, -lost), { ...programme, percent }, 'BAHT');
        const base = paidIn < lost ? paidIn : lost;
        const exact = base > 0n ? base * BigInt(Math.round(percent * 100)) : 0n;
        assert.ok(
          amount * 10_000n <= exact && (amount + 1n) * 10_000n > exact,
          `${paidIn} ${lost} ${percent} ${amount}`,
        );
      }
    }
  }
});

test('what the house gave and took back, and what was withdrawn, is no money that was lost', () => {
  const sums = { deposit: 10_000n, withdraw: -2_000n, bonus: 5_000n, finish_bonus: -1_500n, transfer: -4_000n };
  const { paidIn, lost } = calculateRefund(figures(sums, -9_000n), programme, 'BAHT');
  assert.deepEqual([paidIn, lost], [4_500n, 9_000n]);
});

test('a member with more than the floor left, in bets too, or an unknown amount, receives nothing yet', () => {
  const standing = { total: 2_000n, outstanding: 0n, isCertain: true, isWithdrawing: false, open: [] };
  const left = (changes: Partial<typeof standing>) =>
    blockingBalance({ ...standing, ...changes } as unknown as Parameters<typeof blockingBalance>[0], minor(2_000n));
  assert.equal(left({}), undefined);
  assert.equal(left({ total: 2_001n, isWithdrawing: true }), 'MONEY_LEFT');
  assert.equal(left({ outstanding: 1n }), 'OPEN_BETS');
  assert.equal(left({ isWithdrawing: true }), 'WITHDRAW_IN_PROGRESS');
  assert.equal(left({ isCertain: false }), 'GAMES_NOT_KNOWN');
});
