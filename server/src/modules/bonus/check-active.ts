import type { checkActiveBonus } from '@krapao/contract/endpoints/bonus';
import type { ReplyOf } from '@krapao/contract/endpoint';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { Holder } from '../incentive/module.ts';
import type { BonusWork } from './bonus-work.ts';
import { findOffer, lastReceived } from './queries.ts';

type Active = ReplyOf<typeof checkActiveBonus>['body'];

/**
 * Whether a bonus or promotion is open and how it stands, after the games were asked; and every other condition that is.
 * @throws NO_WALLET
 */
export async function checkActive(work: BonusWork, member: Holder, language: Language): Promise<Active> {
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
