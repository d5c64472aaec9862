import type { bonus, promotion, userBonus } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { z } from 'zod';
import { fillIn, moneyText } from '../../platform/operator-text.ts';
import { isFull, type Offer } from './bonus.ts';

export type ShownBonus = z.input<typeof bonus>;
export type ShownPromotion = z.input<typeof promotion>;
export type UserBonus = z.input<typeof userBonus>;

/** A bonus as its card shows it, in one language. */
export function shownBonus(offer: Offer, language: Language): Omit<ShownBonus, 'isExhausted' | 'userBonus'> {
  const { code, type, maxReceived, percentSuccess, percentFail, percent, fixed, maximum, minimumDeposit } = offer;
  const values = valuesOf(offer);
  return {
    code,
    name: offer.name[language],
    type,
    maxReceived,
    percentSuccess,
    percentFail,
    percent: fixed === null ? percent : null,
    fixed: fixed === null ? null : toWire(fixed),
    maximum: maximum === null ? null : toWire(maximum),
    minimumDeposit: toWire(minimumDeposit),
    windowHours: offer.windowHours,
    turnoverTimes: offer.turnoverTimes,
    banners: offer.banners.map(({ image, html }) => ({ image, html: fillIn(html[language], values) })),
    isFull: isFull(offer),
  };
}

/** What the operator's texts about it can be filled in with, in the member's currency. */
const valuesOf = ({ currency, minimumDeposit, maximum, fixed }: Offer): Readonly<Record<string, string>> => ({
  minimumDeposit: moneyText(minimumDeposit, currency),
  ...(maximum === null ? {} : { maximum: moneyText(maximum, currency) }),
  ...(fixed === null ? {} : { fixed: moneyText(fixed, currency) }),
});

export function shownPromotion(offer: Offer, language: Language): ShownPromotion {
  const { code, name, percentSuccess, percentFail, description, minimumDeposit } = offer;
  return {
    code,
    name: name[language],
    percentSuccess,
    percentFail,
    description: fillIn(description[language], valuesOf(offer)),
    minimumDeposit: toWire(minimumDeposit),
    windowHours: offer.windowHours,
    turnoverTimes: offer.turnoverTimes,
  };
}

/** A member's record of one offer; the receipts newest first. */
export const userBonusOf = (
  memberId: string,
  { code, maxReceived }: Pick<Offer, 'code' | 'maxReceived'>,
  receipts: readonly Date[],
  isActive: boolean,
): UserBonus => ({
  _id: `${memberId}-${code}`,
  isActive,
  received: receipts.slice(0, maxReceived).map((receivedAt) => ({ updatedAt: receivedAt.toISOString() })),
});
