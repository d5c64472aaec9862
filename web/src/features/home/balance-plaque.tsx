import { type CSSProperties, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Currency, toWire } from '@krapao/contract/money';
import { useMoney } from '../../member/money.ts';
import type { Wallet } from '../../member/wallet.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/core/button.tsx';
import { TransferIcon, RefreshIcon } from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { EARLY_BALANCE_ID, EARLY_CURRENCY, totalCharacters, memberHoldings } from './balance-total.ts';
import { BalanceBreakdown } from './balance-breakdown.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { Link } from 'wouter';
import { prefetch } from '../../routing/router.ts';

export type BalancePlaqueProps = {
  wallet: Wallet | undefined;
  isLoading: boolean;
  /** Time of the last balance check: ISO text, or null. */
  lastSync: string | null;
  isChecking: boolean;
  onCheck: () => void;
  onTransfer: () => void;
};

/** The total balance, its breakdown, and the time of the last check. */
export function BalancePlaque({ wallet, isLoading, lastSync, isChecking, onCheck, onTransfer }: BalancePlaqueProps) {
  const { t } = useTranslation('home');
  const currency = wallet?.profile.currency ?? EARLY_CURRENCY;
  // Only the browser knows the time of the last check: the prerendered page reserves its space.
  const isHydrated = useHydrated();
  const holdings = memberHoldings(wallet);
  const total = holdings.total === undefined ? undefined : toWire(holdings.total);
  return (
    <section
      aria-labelledby="home-total"
      className="plaque @container relative isolate overflow-hidden rounded-lg p-5 narrow:p-3 shadow-high ring-1 ring-gold/40"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id="home-total" className="text-sm font-medium text-gold-lit">
          {t('total')}
        </h2>
        <span className="text-sm text-gold-lit">{t(currency === 'LAK' ? 'kip' : 'baht')}</span>
      </div>
      <Balance total={total} currency={currency} isLoading={isLoading} />
      <BalanceBreakdown holdings={holdings} currency={currency} isLoading={isLoading} />
      <WithdrawableRow wallet={isLoading ? undefined : wallet} currency={currency} />
      <div className="mt-4 border-t border-gold/25 pt-3">
        <p className="flex min-h-5 flex-wrap gap-x-2 text-xs text-ivory/85">
          {!isHydrated ? <Skeleton className="h-[1.55em] w-48" /> : lastSync ? t('lastSync') : t('neverSynced')}
          {isHydrated && lastSync && (
            <time dateTime={lastSync} className="amount">
              {formatDateTime(lastSync)}
            </time>
          )}
        </p>
        <div className="mt-2 grid grid-cols-[4fr_5fr] gap-2 narrow:grid-cols-[minmax(0,1fr)]">
          <Button
            variant="quiet"
            size="sm"
            icon={<TransferIcon className={PLAQUE_ICON} />}
            onClick={onTransfer}
            className="px-2!"
          >
            {t('transfer')}
          </Button>
          <CheckButton isChecking={isChecking} onCheck={onCheck} />
        </div>
      </div>
      <NewTotal total={total} />
    </section>
  );
}

/**
 * The total, or its skeleton. A script of the prerendered page writes the balance into the same element before the app
 * loads (`early-balance.ts`); a second element would be a second, later largest paint.
 */
function Balance({
  total,
  currency,
  isLoading,
}: {
  total: number | undefined;
  currency: Currency;
  isLoading: boolean;
}) {
  const characters = totalCharacters(formatAmount(total ?? Number.NaN, { currency }));
  return (
    <div className="grid *:col-start-1 *:row-start-1">
      {isLoading && (
        <div className="py-1">
          <Skeleton className="h-[calc(var(--text-balance)*1.15-0.5rem)] w-3/5" />
        </div>
      )}
      <p
        id={EARLY_BALANCE_ID}
        className="fit-amount amount font-bold text-ivory"
        style={isLoading ? undefined : ({ '--characters': characters } as CSSProperties)}
        suppressHydrationWarning
      >
        {isLoading ? '' : <Amount value={total} currency={currency} counts />}
      </p>
    </div>
  );
}

/** Announces a changed total once to screen readers; the figures are animated for sighted users only. */
function NewTotal({ total }: { total: number | undefined }) {
  const { t } = useTranslation('home');
  const { text } = useMoney();
  const [last, setLast] = useState(total);
  const [said, setSaid] = useState<number>();
  if (total !== undefined && total !== last) {
    setLast(total);
    if (last !== undefined) setSaid(total);
  }
  return (
    <p role="status" className="sr-only">
      {said !== undefined && t('newTotal', { amount: text(said) })}
    </p>
  );
}

/** Hidden where the room is too small. */
export const PLAQUE_ICON = 'hidden size-5 @min-[17rem]:block';

/** Checks all game balances. Both labels reserve their space, so that nothing moves. */
export function CheckButton({ isChecking, onCheck }: { isChecking: boolean; onCheck: () => void }) {
  const { t } = useTranslation('home');
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={isChecking ? <Spinner className={PLAQUE_ICON} /> : <RefreshIcon className={PLAQUE_ICON} />}
      aria-busy={isChecking || undefined}
      aria-disabled={isChecking || undefined}
      onClick={isChecking ? undefined : onCheck}
      className="px-2!"
    >
      <span className="grid text-left *:col-start-1 *:row-start-1">
        <span className={isChecking ? 'invisible' : ''}>{t('checkBalance')}</span>
        <span className={isChecking ? '' : 'invisible'}>{t('checking')}</span>
      </span>
    </Button>
  );
}

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
      onPointerEnter={() => prefetch(BONUS_PAGE)}
      onFocus={() => prefetch(BONUS_PAGE)}
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
