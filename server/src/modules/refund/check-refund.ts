import type { checkRefund as endpoint } from '@krapao/contract/endpoints/refund';
import type { Language } from '@krapao/contract/languages';
import { toWire, ZERO } from '@krapao/contract/money';
import type { z } from 'zod';
import type { Period } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { fillTemplate } from '../../platform/message-template.ts';
import { hadBonusIn, type MemberRef } from '../incentive/index.ts';
import { hasRefund } from './queries.ts';
import {
  closedPeriod,
  calculateRefund,
  refundSetting,
  templateValues,
  type RefundDeps,
  type PeriodSums,
  netDeposits,
} from './refund.ts';

export type RefundCheck = z.input<(typeof endpoint.replies)[200]>;

/**
 * The refund available for the last closed period. Receiving additionally checks remaining money, after refreshing the
 * games.
 */
export async function checkRefund(deps: RefundDeps, member: MemberRef, language: Language): Promise<RefundCheck> {
  const { database, incentive } = deps;
  const settings = (await deps.readOperatorData()).settingOf(refundSetting);
  const period = closedPeriod(deps.clock.now(), settings.period);
  const [[openGrant], conditions] = await Promise.all([
    incentive.openGrants(member.id, 'REFUND'),
    incentive.refreshProgress(member, language),
  ]);
  const isBonusActive = conditions.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  const isReceived = await hasRefund(database, member.id, period);
  const { amount } = calculateRefund(
    await readPeriodSums(deps, database, member.id, period),
    settings,
    member.currency,
  );
  const refundResult = settings.isActive && !isReceived && amount > 0n && amount >= settings.minimum[member.currency];
  const hasUsedBonus = !isBonusActive && (await hadBonusIn(database, member.id, period));
  return {
    result: refundResult,
    bonus: isBonusActive || hasUsedBonus,
    blockedBy: isBonusActive ? 'BONUS_ACTIVE' : hasUsedBonus ? 'BONUS_USED' : null,
    info: fillTemplate(settings.info[language], templateValues(settings, member.currency)),
    refundAmount: toWire(openGrant?.amount ?? (refundResult ? amount : ZERO)),
    refundSuccess: settings.percentSuccess,
    refundFail: settings.percentFail,
    periodFrom: period.from.toISOString(),
    periodTo: period.until.toISOString(),
    unfinished: openGrant !== undefined,
    condition: conditions.find(({ kind }) => kind === 'REFUND') ?? null,
  };
}

/** Later than any ledger time, because the ledger's clock may be ahead. */
const FAR_FUTURE = new Date('9999-12-31T00:00:00Z');

/**
 * Ledger sums of a member's period. Later returns from games count, because a stake that is open at the end of the
 * period looks like a loss. Later withdrawals that no later deposit covers reduce the deposits. The queries are
 * sequential, because `on` may be a transaction.
 */
export async function readPeriodSums(
  { ledger }: Pick<RefundDeps, 'ledger'>,
  on: Queryable,
  memberId: string,
  period: Period,
): Promise<PeriodSums> {
  const openEndedPeriod = { from: period.from, until: FAR_FUTURE };
  const [sums, sumsSince] = [
    await ledger.walletSums(memberId, period, on),
    await ledger.walletSums(memberId, openEndedPeriod, on),
  ];
  const [play, playSince] = [
    await ledger.playBetween(memberId, period, on),
    await ledger.playBetween(memberId, openEndedPeriod, on),
  ];
  return {
    sums: netDeposits(sumsSince) < netDeposits(sums) ? sumsSince : sums,
    play: playSince > play ? playSince : play,
  };
}
