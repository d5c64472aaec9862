import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Minor, minor } from '@krapao/contract/money';
import {
  closedPeriod,
  blockingBalance,
  refundName,
  type RefundSettings,
  calculateRefund,
  refundSource,
} from '../../src/modules/refund/refund.ts';

const bothCurrencies = (units: bigint) => ({ BAHT: minor(units), LAK: minor(units) });
const refundSettings: RefundSettings = {
  isActive: true,
  period: 'week',
  percent: 5,
  maximum: bothCurrencies(1_000_000n),
  minimum: bothCurrencies(100n),
  floor: bothCurrencies(2_000n),
  percentSuccess: 200,
  percentFail: 10,
  info: { th: '', la: '', en: '' },
};
const figuresOf = (amountsByKind: Record<string, bigint>, playAmount: bigint) => ({
  sums: new Map<string, Minor>(Object.entries(amountsByKind).map(([kind, amount]) => [kind, minor(amount)])),
  play: minor(playAmount),
});

test('the last closed day and week end at midnight and Monday in Bangkok, also a moment before and at it', () => {
  const mondayMs = Date.parse('2026-11-22T17:00:00.000Z');
  const valuesAt = (momentMs: number, period: RefundSettings['period']) => {
    const { from, until } = closedPeriod(new Date(momentMs), period);
    return [from.toISOString(), until.toISOString(), refundSource({ from, until }), refundName({ from, until })];
  };
  assert.deepEqual(valuesAt(mondayMs - 1, 'week'), [
    '2026-11-08T17:00:00.000Z',
    '2026-11-15T17:00:00.000Z',
    'refund:2026-11-09',
    '2026-11-09 – 2026-11-15',
  ]);
  assert.deepEqual(valuesAt(mondayMs, 'week').slice(0, 3), [
    '2026-11-15T17:00:00.000Z',
    '2026-11-22T17:00:00.000Z',
    'refund:2026-11-16',
  ]);
  assert.equal(valuesAt(mondayMs - 1, 'day')[3], '2026-11-21');
  assert.equal(valuesAt(mondayMs, 'day')[3], '2026-11-22');
  // A year, a leap day.
  assert.equal(valuesAt(Date.parse('2028-02-29T17:00:00.000Z'), 'day')[3], '2028-02-29');
  assert.equal(valuesAt(Date.parse('2026-12-31T18:00:00.000Z'), 'week')[3], '2026-12-21 – 2026-12-27');
});

test('a refund in kip is whole, and never more than was lost, whatever the percentage', () => {
  const lostFigures = figuresOf({ deposit: 12_345_600n }, -12_345_600n);
  assert.equal(calculateRefund(lostFigures, refundSettings, 'BAHT').amount, 617_280n);
  assert.equal(
    calculateRefund(lostFigures, { ...refundSettings, percent: 0.33 }, 'LAK').amount,
    40_700n,
    '407.4048 kip',
  );
  assert.equal(
    calculateRefund(lostFigures, { ...refundSettings, percent: 250, maximum: bothCurrencies(10n ** 15n) }, 'BAHT')
      .amount,
    12_345_600n,
  );
  assert.equal(calculateRefund(lostFigures, { ...refundSettings, maximum: bothCurrencies(150n) }, 'LAK').amount, 100n);
});

test('refunds of every hundredth of small amounts are at most the share, and less than a step below it', () => {
  for (let paidIn = -3n; paidIn <= 60n; paidIn += 1n) {
    for (let lostAmount = -3n; lostAmount <= 60n; lostAmount += 1n) {
      for (const percent of [0, 0.01, 1, 33.33, 99.99, 100]) {
        const { amount } = calculateRefund(
          figuresOf({ deposit: paidIn }, -lostAmount),
          { ...refundSettings, percent },
          'BAHT',
        );
        const refundBase = paidIn < lostAmount ? paidIn : lostAmount;
        const exactRefund = refundBase > 0n ? refundBase * BigInt(Math.round(percent * 100)) : 0n;
        assert.ok(
          amount * 10_000n <= exactRefund && (amount + 1n) * 10_000n > exactRefund,
          `${paidIn} ${lostAmount} ${percent} ${amount}`,
        );
      }
    }
  }
});

test('granted money, taken-back money and withdrawals do not count as losses', () => {
  const amountsByKind = {
    deposit: 10_000n,
    withdraw: -2_000n,
    bonus: 5_000n,
    finish_bonus: -1_500n,
    transfer: -4_000n,
  };
  const { paidIn, lostAmount } = calculateRefund(figuresOf(amountsByKind, -9_000n), refundSettings, 'BAHT');
  assert.deepEqual([paidIn, lostAmount], [4_500n, 9_000n]);
});

test('a member with more than the floor left, even in bets, or with an unknown amount, gets no refund yet', () => {
  const eligibility = { total: 2_000n, outstanding: 0n, isCertain: true, isWithdrawing: false, open: [] };
  const blockedBy = (changes: Partial<typeof eligibility>) =>
    blockingBalance({ ...eligibility, ...changes } as unknown as Parameters<typeof blockingBalance>[0], minor(2_000n));
  assert.equal(blockedBy({}), undefined);
  assert.equal(blockedBy({ total: 2_001n, isWithdrawing: true }), 'MONEY_LEFT');
  assert.equal(blockedBy({ outstanding: 1n }), 'OPEN_BETS');
  assert.equal(blockedBy({ isWithdrawing: true }), 'WITHDRAW_IN_PROGRESS');
  assert.equal(blockedBy({ isCertain: false }), 'GAMES_NOT_KNOWN');
});
