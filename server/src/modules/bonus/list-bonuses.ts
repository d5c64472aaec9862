import type { Language } from '@krapao/contract/languages';
import type { Holder } from '../incentive/module.ts';
import { countedSince } from './bonus.ts';
import type { BonusWork } from './bonus-work.ts';
import { lastReceived, selectOffers, selectReceipts } from './queries.ts';
import { type ShownBonus, shownBonus, userBonusOf } from './shown-offers.ts';

/** The bonuses that a member can see, in their language, and what they have received of each. */
export async function listBonuses(
  { database, incentive, clock }: BonusWork,
  member: Holder,
  language: Language,
): Promise<ShownBonus[]> {
  const now = clock.now();
  const offers = await selectOffers(database, 'BONUS', member.currency, now);
  const most = Math.max(0, ...offers.map(({ maxReceived }) => maxReceived));
  const codes = offers.map(({ code }) => code);
  const receipts = await selectReceipts(database, member.id, codes, most);
  const active = await incentive.activeBonus(member.id, language);
  const activeCode = active && (await lastReceived(database, member.id));
  return offers.map((offer) => {
    const mine = receipts.filter(({ code }) => code === offer.code);
    const since = countedSince(offer, now);
    const counted = since === undefined ? mine : mine.filter(({ receivedAt }) => receivedAt >= since);
    const isActive = activeCode === offer.code;
    return {
      ...shownBonus(offer, language),
      isExhausted: counted.length >= offer.maxReceived,
      userBonus:
        mine.length > 0 || isActive
          ? userBonusOf(
              member.id,
              offer,
              mine.map(({ receivedAt }) => receivedAt),
              isActive,
            )
          : null,
    };
  });
}
