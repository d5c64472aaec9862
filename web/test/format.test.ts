import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDate, formatDateTime } from '../src/format/date.ts';
import { formatAmount, formatNumber } from '../src/format/number.ts';
import { formatAccountNumber, formatCountdown, relativeTime } from '../src/format/text.ts';
import { formatShortTime } from '../src/member/opening-time.ts';

test('numbers have at least two decimals and groups of three, and "-" if invalid', () => {
  assert.equal(formatNumber(0), '0.00');
  assert.equal(formatNumber(-0), '0.00');
  assert.equal(formatNumber(1234567.5), '1,234,567.50');
  assert.equal(formatNumber(Number.NaN), '-');
  assert.equal(formatNumber(Number.POSITIVE_INFINITY), '-');
  assert.equal(formatNumber(1000, 0), '1,000');
});

test('amounts carry sign, direction, and two decimals in every currency', () => {
  assert.equal(formatAmount(1234.5, { withSign: true }), '฿1,234.50');
  assert.equal(formatAmount(250, { signed: true }), '+250.00');
  assert.equal(formatAmount(-250.05, { signed: true }), '−250.05');
  assert.equal(formatAmount(0, { signed: true }), '0.00');
  assert.equal(formatAmount(1250000, { currency: 'LAK', withSign: true }), '₭1,250,000.00');
  assert.equal(formatAmount(999.5, { currency: 'LAK' }), '999.50');
  assert.equal(formatAmount(Number.NaN), '-');
});

test('dates are in the time of Bangkok and Vientiane, in the Gregorian year', () => {
  assert.equal(formatDateTime('2026-01-31T17:05:09.000Z'), '01/02/2026 00:05:09');
  assert.equal(formatDateTime('2026-12-31T16:59:59.999Z'), '31/12/2026 23:59:59');
  assert.equal(formatDate('2026-12-31T17:00:00Z'), '01/01/2027');
  assert.equal(formatDateTime('not a time'), '-');
});

test('a short time has the day unless it is today, and the year unless it is the current one', () => {
  const now = Date.parse('2026-11-26T16:30:00Z');
  assert.equal(formatShortTime('2026-11-26T16:59:00Z', now), '23:59');
  assert.equal(formatShortTime('2026-11-26T17:00:00Z', now), '27/11 00:00');
  assert.equal(formatShortTime('2026-12-31T17:00:00Z', now), '01/01/2027 00:00');
});

test('a relative time uses the largest unit that fits', () => {
  const now = Date.UTC(2026, 10, 21);
  const relativeTimeAgo = (seconds: number) => relativeTime(now - seconds * 1000, now);
  assert.deepEqual(relativeTimeAgo(59), { unit: 'now', count: 0 });
  assert.deepEqual(relativeTimeAgo(-60), { unit: 'now', count: 0 });
  assert.deepEqual(relativeTimeAgo(60), { unit: 'minute', count: 1 });
  assert.deepEqual(relativeTimeAgo(3_599), { unit: 'minute', count: 59 });
  assert.deepEqual(relativeTimeAgo(3_600), { unit: 'hour', count: 1 });
  assert.deepEqual(relativeTimeAgo(86_400), { unit: 'day', count: 1 });
  assert.deepEqual(relativeTimeAgo(2_592_000), { unit: 'month', count: 1 });
  assert.deepEqual(relativeTimeAgo(31_535_999), { unit: 'month', count: 12 });
  assert.deepEqual(relativeTimeAgo(31_536_000 * 2), { unit: 'year', count: 2 });
});

test('countdowns are mm:ss and never negative', () => {
  assert.equal(formatCountdown(899), '14:59');
  assert.equal(formatCountdown(0), '00:00');
  assert.equal(formatCountdown(-5), '00:00');
  assert.equal(formatCountdown(3_661), '61:01');
});

test('an account number is grouped as 3-3-rest only if it has exactly 10 characters', () => {
  assert.equal(formatAccountNumber('1234567890'), '123-456-7890');
  assert.equal(formatAccountNumber('123456789012'), '123456789012');
  assert.equal(formatAccountNumber('123'), '123');
});
