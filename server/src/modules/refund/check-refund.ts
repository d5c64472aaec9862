import type { checkRefund as endpoint } from '@krapao/contract/endpoints/refund';
import type { Language } from '@krapao/contract/languages';
import { toWire, ZERO } from '@krapao/contract/money';
import type { z } from 'zod';
import { fillIn } from '../../platform/operator-text.ts';
import { hadBonus, type Holder } from '../incentive/module.ts';
import { hasRefund } from './queries.ts';
import { readFigures } from './read-figures.ts';
import { closedPeriod, reckon, refundSetting, valuesOf } from './refund.ts';
import type { RefundDeps } from './refund-deps.ts';

export type RefundCheck = z.input<(typeof endpoint.reply)[200]>;

/**
 * What could be received of the last closed period now. Money that is left, which blocks too, is looked at when it is
 * received: only then the games are asked.
 */
export async function checkRefund(deps: RefundDeps, member: Holder, language: Language): Promise<RefundCheck> {
  const { database, incentive } = deps;
  const programme = (await deps.operatorData()).settingOf(refundSetting);
  const period = closedPeriod(deps.clock.now(), programme.period);
  const [[open], conditions] = await Promise.all([
    incentive.openGrants(member.id, 'REFUND'),
    incentive.follow(member, language),
  ]);
  const isBonusActive = conditions.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  const isReceived = await hasRefund(database, member.id, period);
  const { amount } = reckon(await readFigures(deps, database, member.id, period), programme, member.currency);
  const result = programme.isActive && !isReceived && amount > 0n && amount >= programme.minimum[member.currency];
  const hasUsedBonus = !isBonusActive && (await hadBonus(database, member.id, period));
  return {
    result,
    bonus: isBonusActive || hasUsedBonus,
    blockedBy: isBonusActive ? 'BONUS_ACTIVE' : hasUsedBonus ? 'BONUS_USED' : null,
    info: fillIn(programme.info[language], valuesOf(programme, member.currency)),
    refundAmount: toWire(open?.amount ?? (result ? amount : ZERO)),
    refundSuccess: programme.percentSuccess,
    refundFail: programme.percentFail,
    periodFrom: period.from.toISOString(),
    periodTo: period.until.toISOString(),
    unfinished: open !== undefined,
    condition: conditions.find(({ kind }) => kind === 'REFUND') ?? null,
  };
}
