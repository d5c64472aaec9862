import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { warm } from '../../routing/screen.ts';
import type { Currency } from '@krapao/contract/money';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import { Amount } from '../../ui/text/amount.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';

const BONUS_PAGE = '/user/bonus';

type Condition = Wallet['conditions'][number];

/** Withdrawable amount, and the blocking condition with its progress as a link to the bonus page. */
export function WithdrawableRow({ wallet, currency }: { wallet: Wallet | undefined; currency: Currency }) {
  const { t } = useTranslation('home');
  const conditions = wallet?.conditions ?? [];
  const [condition] = conditions;
  return (
    <div className="mt-2 flex min-h-11 flex-wrap items-center justify-between gap-x-3 border-t border-gold/25 pt-1 text-sm">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="text-ivory/85">{t('withdrawable')}</span>
        {wallet ? (
          <span data-part="withdrawable" className="font-semibold">
            <Amount value={wallet.withdrawable} currency={currency} withSign />
          </span>
        ) : (
          <Skeleton className="h-5 w-20" />
        )}
      </p>
      {condition && <ConditionChip condition={condition} more={conditions.length - 1} />}
    </div>
  );
}

function ConditionChip({ condition, more }: { condition: Condition; more: number }) {
  const { t } = useTranslation(['home', 'parts']);
  const words = t('openCondition', {
    kind: t(`parts:condition.kind.${condition.kind}`),
    percent: progressOf(condition),
  });
  return (
    <Link
      href={BONUS_PAGE}
      onPointerEnter={() => warm(BONUS_PAGE)}
      onFocus={() => warm(BONUS_PAGE)}
      className="flex min-h-11 items-center text-xs font-semibold text-amber"
    >
      <span className="rounded-full bg-amber-deep px-3 py-1 ring-1 ring-amber/50">
        {words}
        {more > 0 && ` +${more}`}
      </span>
    </Link>
  );
}

/** Progress in percent by money or turnover, whichever is further; rounded down, display only. */
function progressOf({ current, floor, target, turnover, turnoverTarget }: Condition): number {
  const byMoney = (current - floor) / (target - floor);
  const byTurnover = turnover !== null && turnoverTarget ? turnover / turnoverTarget : 0;
  return Math.floor(Math.min(1, Math.max(0, byMoney, byTurnover)) * 100);
}
