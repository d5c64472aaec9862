import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardState } from '../src/features/bonus/card-state.ts';

const bonusReceivedAt = (type: 'limit' | 'day' | 'week', maxReceived: number, ...received: string[]) => ({
  type,
  maxReceived,
  isExhausted: false,
  isFull: false,
  userBonus: { isActive: false, received: received.map((updatedAt) => ({ updatedAt })) },
});
const timestampOf = (isoTime: string) => Date.parse(isoTime);
/** A Sunday at 23:30 in Bangkok. */
const SUNDAY_NIGHT_MS = timestampOf('2026-11-22T16:30:00.000Z');
const MONDAY_MS = timestampOf('2026-11-22T17:00:00.000Z');

test('a bonus is active, received, exhausted or available, in this order of precedence', () => {
  const unusedBonus = { ...bonusReceivedAt('limit', 1), userBonus: null };
  assert.equal(cardState(unusedBonus, MONDAY_MS), 'available');
  assert.equal(cardState({ ...unusedBonus, isFull: true }, MONDAY_MS), 'full');
  assert.equal(cardState({ ...unusedBonus, isFull: true, isExhausted: true }, MONDAY_MS), 'exhausted');
  const activeUse = { isActive: true, received: [{ updatedAt: '2026-11-22T16:00:00.000Z' }] };
  assert.equal(
    cardState({ ...unusedBonus, isFull: true, isExhausted: true, userBonus: activeUse }, MONDAY_MS),
    'active',
  );
});

test('a bonus limit counts every receipt ever', () => {
  assert.equal(cardState(bonusReceivedAt('limit', 2, '2020-01-01T00:00:00.000Z'), MONDAY_MS), 'available');
  const twiceReceivedBonus = bonusReceivedAt('limit', 2, '2020-01-01T00:00:00.000Z', '2026-11-22T16:00:00.000Z');
  assert.equal(cardState(twiceReceivedBonus, MONDAY_MS), 'exhausted');
});

test('a day of a bonus limit is one of Bangkok, whatever the local day', () => {
  const dailyBonus = bonusReceivedAt('day', 1, '2026-11-21T17:00:00.000Z');
  assert.equal(cardState(dailyBonus, SUNDAY_NIGHT_MS), 'exhausted');
  assert.equal(cardState(dailyBonus, MONDAY_MS), 'available');
  assert.equal(cardState(bonusReceivedAt('day', 2, '2026-11-22T10:00:00.000Z'), SUNDAY_NIGHT_MS), 'available');
});

test('a week of a bonus limit begins on Monday in Bangkok', () => {
  const weeklyBonus = bonusReceivedAt('week', 1, '2026-11-15T17:00:00.000Z');
  assert.equal(cardState(weeklyBonus, SUNDAY_NIGHT_MS), 'exhausted');
  assert.equal(cardState(weeklyBonus, MONDAY_MS), 'available');
  assert.equal(cardState(bonusReceivedAt('week', 1, '2026-11-15T16:59:59.999Z'), SUNDAY_NIGHT_MS), 'available');
});
