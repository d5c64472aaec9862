import type { Language } from '@krapao/contract/languages';
import type { MemberRef } from '../incentive/index.ts';
import {
  limitPeriodStart,
  type BonusDeps,
  type WireBonus,
  toWireBonus,
  userBonusOf,
  type Offer,
  readCode,
} from './bonus.ts';
import { lastReceived, selectOffers, selectReceipts, findOffered, findOffer } from './queries.ts';
import { Refusal } from '../../platform/errors.ts';
import type { checkActiveBonus } from '@krapao/contract/endpoints/bonus';
import type { ReplyOf } from '@krapao/contract/endpoint';
import { toWire } from '@krapao/contract/money';
import { countShared } from '../lookup/index.ts';

/** The bonuses that a member can see, in their language, and what they have received of each. */
export async function listBonuses(
  { database, incentive, clock }: BonusDeps,
  member: MemberRef,
  language: Language,
): Promise<WireBonus[]> {
  const now = clock.now();
  const offers = await selectOffers(database, 'BONUS', member.currency, now);
  const most = Math.max(0, ...offers.map(({ maxReceived }) => maxReceived));
  const codes = offers.map(({ code }) => code);
  const receipts = await selectReceipts(database, member.id, codes, most);
  const active = await incentive.activeBonus(member.id, language);
  const activeCode = active && (await lastReceived(database, member.id));
  return offers.map((offer) => {
    const own = receipts.filter(({ code }) => code === offer.code);
    const since = limitPeriodStart(offer, now);
    const counted = since === undefined ? own : own.filter(({ receivedAt }) => receivedAt >= since);
    const isActive = activeCode === offer.code;
    return {
      ...toWireBonus(offer, language),
      isExhausted: counted.length >= offer.maxReceived,
      userBonus:
        own.length > 0 || isActive
          ? userBonusOf(
              member.id,
              offer,
              own.map(({ receivedAt }) => receivedAt),
              isActive,
            )
          : null,
    };
  });
}

/**
 * Finds a promotion by its code. An unknown code is not distinguished from one that is over, off, or for another
 * currency.
 * @throws NO_PROMOTION
 */
export async function findPromotion(work: BonusDeps, member: MemberRef, typed: string): Promise<Offer> {
  const code = readCode(typed);
  const { currency } = member;
  const offer =
    code && (await findOffered(work.database, { kind: 'PROMOTION', code, currency, now: work.clock.now() }));
  if (!offer) throw new Refusal('NO_PROMOTION');
  return offer;
}

type Active = ReplyOf<typeof checkActiveBonus>['body'];

/**
 * The open bonus or promotion with its progress, after refreshing the games; and every other open condition.
 * @throws NO_WALLET
 */
export async function checkActive(work: BonusDeps, member: MemberRef, language: Language): Promise<Active> {
  await work.account.assertWalletOpen(member.id);
  const conditions = await work.incentive.follow(member, language);
  const active = await work.incentive.activeBonus(member.id, language);
  if (!active) return { status: false, type: '', code: '', condition: null, ifCleared: null, conditions };
  // Nothing is received while one is open: the open one is the last received.
  const code = (await lastReceived(work.database, member.id)) ?? '';
  const offer = await findOffer(work.database, code, member.currency);
  const { progress, takesBack, keeps } = active;
  return {
    status: true,
    type: progress.kind === 'PROMOTION' ? 'promotion' : (offer?.type ?? 'limit'),
    code,
    condition: progress,
    ifCleared: { takesBack: toWire(takesBack), keeps: toWire(keeps) },
    conditions,
  };
}

/**
 * Counts a typed code: a caller who tries many is refused for a while, whether or not the codes exist. @param group the
 * caller's address, as limits count it
 * @throws REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function limitCodeGuesses(
  work: Pick<BonusDeps, 'operatorData' | 'rateLimits'>,
  { memberId, group }: { memberId: string; group: string },
): Promise<void> {
  await countShared(work, {
    own: ['promotion.member', 'promotion.member.day'],
    whom: memberId,
    shared: 'promotion.address',
    group,
  });
}
