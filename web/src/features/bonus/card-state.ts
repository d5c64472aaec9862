import type { Reply } from '../../api/types.ts';

export type Bonus = Reply<'GET /api/bonus'>[number];

/** State of a bonus for a member: active, received as often as possible, exhausted for all members, or receivable. */
export type CardState = 'active' | 'exhausted' | 'full' | 'available';

type Receipts = Pick<Bonus, 'type' | 'maxReceived' | 'isExhausted' | 'isFull'> & {
  userBonus: Pick<NonNullable<Bonus['userBonus']>, 'isActive' | 'received'> | null;
};

/** Days and weeks are those of Bangkok, regardless of the phone's zone. */
const ZONE_MS = 7 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const DAYS_OF_WEEK = 7;
/** 1970-01-01 was a Thursday; weeks begin on Mondays. */
const DAYS_SINCE_MONDAY = 3;

const dayOf = (ms: number): number => Math.floor((ms + ZONE_MS) / DAY_MS);
const weekOf = (ms: number): number => Math.floor((dayOf(ms) + DAYS_SINCE_MONDAY) / DAYS_OF_WEEK);

const isOfNow: Readonly<Record<Bonus['type'], (at: number, now: number) => boolean>> = {
  limit: () => true,
  day: (at, now) => dayOf(at) === dayOf(now),
  week: (at, now) => weekOf(at) === weekOf(now),
};

/** @param now server time in ms */
export function cardState(bonus: Receipts, now: number): CardState {
  const { type, maxReceived, userBonus } = bonus;
  if (userBonus?.isActive) return 'active';
  const count = (userBonus?.received ?? []).filter(({ updatedAt }) => isOfNow[type](Date.parse(updatedAt), now)).length;
  if (bonus.isExhausted || count >= maxReceived) return 'exhausted';
  return bonus.isFull ? 'full' : 'available';
}
