import type { Reply } from '../../api/types.ts';

export type Bonus = Reply<'GET /api/bonus'>[number];

/**
 * State of a bonus for a member. `full`: the member has received it as often as possible; `exhausted`: all members
 * together have.
 */
export type CardState = 'active' | 'exhausted' | 'full' | 'available';

type BonusReceipts = Pick<Bonus, 'type' | 'maxReceived' | 'isExhausted' | 'isFull'> & {
  userBonus: Pick<NonNullable<Bonus['userBonus']>, 'isActive' | 'received'> | null;
};

/** Calendar days and weeks are in Bangkok time, regardless of the device's time zone. */
const TIME_ZONE_OFFSET_MS = 7 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const DAYS_PER_WEEK = 7;
/** Weeks begin on Mondays, and 1970-01-01 was a Thursday. */
const EPOCH_DAYS_SINCE_MONDAY = 3;

const dayNumberOf = (timestampMs: number): number => Math.floor((timestampMs + TIME_ZONE_OFFSET_MS) / DAY_MS);
const weekNumberOf = (timestampMs: number): number =>
  Math.floor((dayNumberOf(timestampMs) + EPOCH_DAYS_SINCE_MONDAY) / DAYS_PER_WEEK);

const isInCurrentPeriod: Readonly<Record<Bonus['type'], (at: number, now: number) => boolean>> = {
  limit: () => true,
  day: (receivedAt, now) => dayNumberOf(receivedAt) === dayNumberOf(now),
  week: (receivedAt, now) => weekNumberOf(receivedAt) === weekNumberOf(now),
};

/** State of a bonus for a member. @param now server time in ms */
export function cardState(bonus: BonusReceipts, now: number): CardState {
  const { type, maxReceived, userBonus } = bonus;
  if (userBonus?.isActive) return 'active';
  const receivedCount = (userBonus?.received ?? []).filter(({ updatedAt }) =>
    isInCurrentPeriod[type](Date.parse(updatedAt), now),
  ).length;
  if (bonus.isExhausted || receivedCount >= maxReceived) return 'exhausted';
  return bonus.isFull ? 'full' : 'available';
}
