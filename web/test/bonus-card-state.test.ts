import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardState } from '../src/features/bonus/card-state.ts';

const bonus = (type: 'limit' | 'day' | 'week', maxReceived: number, ...received: string[]) => ({
  type,
  maxReceived,
  isExhausted: false,
  isFull: false,
  userBonus: { isActive: false, received: received.map((updatedAt) => ({ updatedAt })) },
});
const at = (time: string) => Date.parse(time);
/** A Sunday, half past eleven in the evening in Bangkok. */
const SUNDAY_NIGHT = at('2026-11-22T16:30:00.000Z');
const MONDAY = at('2026-11-22T17:00:00.000Z');

test('a bonus is in use, received, given out or there to be received, in this order', () => {
  const fresh = { ...bonus('limit', 1), userBonus: null };
  assert.equal(cardState(fresh, MONDAY), 'available');
  assert.equal(cardState({ ...fresh, isFull: true }, MONDAY), 'full');
  assert.equal(cardState({ ...fresh, isFull: true, isExhausted: true }, MONDAY), 'exhausted');
  const inUse = { isActive: true, received: [{ updatedAt: '2026-11-22T16:00:00.000Z' }] };
  assert.equal(cardState({ ...fresh, isFull: true, isExhausted: true, userBonus: inUse }, MONDAY), 'active');
});

test('a limit counts every receipt there ever was', () => {
  assert.equal(cardState(bonus('limit', 2, '2020-01-01T00:00:00.000Z'), MONDAY), 'available');
  const both = bonus('limit', 2, '2020-01-01T00:00:00.000Z', '2026-11-22T16:00:00.000Z');
  assert.equal(cardState(both, MONDAY), 'exhausted');
});

test('a day is one of Bangkok, whatever day it is elsewhere', () => {
  const once = bonus('day', 1, '2026-11-21T17:00:00.000Z');
  assert.equal(cardState(once, SUNDAY_NIGHT), 'exhausted');
  assert.equal(cardState(once, MONDAY), 'available');
  assert.equal(cardState(bonus('day', 2, '2026-11-22T10:00:00.000Z'), SUNDAY_NIGHT), 'available');
});

test('a week begins on Monday in Bangkok', () => {
  const onMonday = bonus('week', 1, '2026-11-15T17:00:00.000Z');
  assert.equal(cardState(onMonday, SUNDAY_NIGHT), 'exhausted');
  assert.equal(cardState(onMonday, MONDAY), 'available');
  assert.equal(cardState(bonus('week', 1, '2026-11-15T16:59:59.999Z'), SUNDAY_NIGHT), 'available');
});
