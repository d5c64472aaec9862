import type { ReplyOf } from '@krapao/contract/endpoint';
import type { checkActiveBonus } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import { Refusal } from '../../platform/errors.ts';
import type { MemberRef } from '../incentive/index.ts';
import { countShared } from '../operator-data/index.ts';
import {
  limitPeriodStart,
  type BonusDeps,
  type WireBonus,
  toWireBonus,
  userBonusOf,
  type Offer,
  readCode,
} from './bonus.ts';
import { findLastReceivedCode, selectOffers, selectReceipts, findOffered, findOffer } from './queries.ts';

/** Bonuses that a member can see, in the member's language, with the member's receipts of each. */
export async function listBonuses(
  { database, incentive, clock }: BonusDeps,
  member: MemberRef,
  language: Language,
): Promise<WireBonus[]> {
  const now = clock.now();
  const offers = await selectOffers(database, 'BONUS', member.currency, now);
  const receiptsMax = Math.max(0, ...offers.map(({ maxReceived }) => maxReceived));
  const codes = offers.map(({ code }) => code);
  const receipts = await selectReceipts(database, member.id, codes, receiptsMax);
  const activeBonus = await incentive.activeBonus(member.id, language);
  const activeCode = activeBonus && (await findLastReceivedCode(database, member.id));
  return offers.map((offer) => {
    const offerReceipts = receipts.filter(({ code }) => code === offer.code);
    const limitStart = limitPeriodStart(offer, now);
    const countedReceipts =
      limitStart === undefined ? offerReceipts : offerReceipts.filter(({ receivedAt }) => receivedAt >= limitStart);
    const isActive = activeCode === offer.code;
    return {
      ...toWireBonus(offer, language),
      isExhausted: countedReceipts.length >= offer.maxReceived,
      userBonus:
        offerReceipts.length > 0 || isActive
          ? userBonusOf(
              member.id,
              offer,
              offerReceipts.map(({ receivedAt }) => receivedAt),
              isActive,
            )
          : null,
    };
  });
}

/**
 * Finds a promotion by its code. Unknown, ended and switched-off codes, and codes for another currency, get the same
 * error.
 * @throws NO_PROMOTION
 */
export async function findPromotion(deps: BonusDeps, member: MemberRef, rawCode: string): Promise<Offer> {
  const code = readCode(rawCode);
  const { currency } = member;
  const offer =
    code && (await findOffered(deps.database, { kind: 'PROMOTION', code, currency, now: deps.clock.now() }));
  if (!offer) throw new Refusal('NO_PROMOTION');
  return offer;
}

type ActiveBonusReply = ReplyOf<typeof checkActiveBonus>['body'];

/**
 * The active bonus or promotion with its progress, after refreshing the games, and all other open conditions.
 * @throws NO_WALLET
 */
export async function checkActive(deps: BonusDeps, member: MemberRef, language: Language): Promise<ActiveBonusReply> {
  await deps.account.assertWalletOpen(member.id);
  const openConditions = await deps.incentive.refreshProgress(member, language);
  const activeBonus = await deps.incentive.activeBonus(member.id, language);
  if (!activeBonus)
    return { status: false, type: '', code: '', condition: null, ifCleared: null, conditions: openConditions };
  // The active offer is the last one received: none can be received while it is active.
  const code = (await findLastReceivedCode(deps.database, member.id)) ?? '';
  const offer = await findOffer(deps.database, code, member.currency);
  const { progress, takesBack, keeps } = activeBonus;
  return {
    status: true,
    type: progress.kind === 'PROMOTION' ? 'promotion' : (offer?.type ?? 'limit'),
    code,
    condition: progress,
    ifCleared: { takesBack: toWire(takesBack), keeps: toWire(keeps) },
    conditions: openConditions,
  };
}

/**
 * Counts a promotion code attempt. Too many attempts are refused for a while, whether or not the codes exist.
 * @param group the caller's address as grouped by the rate limits
 * @throws REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function limitCodeGuesses(
  deps: Pick<BonusDeps, 'readOperatorData' | 'rateLimits'>,
  { memberId, group }: { memberId: string; group: string },
): Promise<void> {
  await countShared(deps, {
    own: ['promotion.member', 'promotion.member.day'],
    callerKey: memberId,
    shared: 'promotion.address',
    group,
  });
}
