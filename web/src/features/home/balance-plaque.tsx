import { type Currency, toWire } from '@krapao/contract/money';
import { type CSSProperties, type ReactNode, type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { formatDateTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { fromWire } from '../../member/amounts.ts';
import { useCurrency } from '../../member/use-currency.ts';
import type { Wallet } from '../../member/wallet.ts';
import { prefetch } from '../../routing/router.ts';
import {
  HIDDEN_AMOUNT,
  MemberAmount,
  toggleBalanceHidden,
  useBalanceHidden,
  useRememberedTotal,
} from '../../shared/balance-display.tsx';
import { Button } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { EyeIcon, EyeOffIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { TransferIcon, RefreshIcon } from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { BalanceBreakdown } from './balance-breakdown.tsx';
import { EARLY_BALANCE_ID, EARLY_CURRENCY, totalCharacters, memberHoldings } from './balance-total.ts';

export type BalancePlaqueProps = {
  wallet: Wallet | undefined;
  isLoading: boolean;
  /** ISO time of the last balance check, or null. */
  lastSync: string | null;
  isChecking: boolean;
  onCheck: () => void;
  onTransfer: () => void;
};

/** Total balance, its breakdown, and the time of the last check. */
export function BalancePlaque({ wallet, isLoading, lastSync, isChecking, onCheck, onTransfer }: BalancePlaqueProps) {
  const isHydrated = useHydrated();
  const holdings = memberHoldings(wallet);
  const total = holdings.total === undefined ? undefined : toWire(holdings.total);
  const rowsRef = useRef<HTMLDivElement>(null);
  const rememberedTotal = useRememberedTotal(total, wallet?.profile.currency, rowsRef);
  const stored = isLoading && isHydrated ? rememberedTotal : undefined;
  const currency = wallet?.profile.currency ?? stored?.currency ?? EARLY_CURRENCY;
  return (
    <section
      aria-labelledby="home-total"
      className="night plaque @container relative isolate overflow-hidden rounded-lg px-5 py-4 narrow:p-3 shadow-high ring-1 ring-gold/40"
    >
      <PlaqueHeading currency={currency} />
      <TotalBalance
        total={stored?.total ?? total}
        currency={currency}
        isLoading={isLoading && !stored}
        isStored={stored !== undefined}
      />
      <BalanceRows rowsRef={rowsRef} isLoading={isLoading} reservedHeight={stored?.rowsHeight ?? 0}>
        <BalanceBreakdown holdings={holdings} currency={currency} isLoading={isLoading} storedAt={stored?.at} />
        <WithdrawableRow wallet={isLoading ? undefined : wallet} currency={currency} />
      </BalanceRows>
      <LastCheck lastSync={lastSync} isChecking={isChecking} onCheck={onCheck} onTransfer={onTransfer} />
      <TotalAnnouncer total={total} />
    </section>
  );
}

type BalanceRowsProps = {
  rowsRef: RefObject<HTMLDivElement | null>;
  isLoading: boolean;
  /** Height in px while loading. */
  reservedHeight: number;
  children: ReactNode;
};

/** Before hydration the head script of the page has reserved the height. */
function BalanceRows({ rowsRef, isLoading, reservedHeight, children }: BalanceRowsProps) {
  const isHydrated = useHydrated();
  return (
    <div
      ref={rowsRef}
      className={isLoading ? 'balance-rows reserved' : 'balance-rows'}
      style={isLoading && isHydrated ? ({ '--rows': `${reservedHeight}px` } as CSSProperties) : undefined}
    >
      {children}
    </div>
  );
}

function PlaqueHeading({ currency }: { currency: Currency }) {
  const { t } = useTranslation('home');
  const isHydrated = useHydrated();
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <h2 id="home-total" className="text-sm font-medium text-gold-lit">
        {t('total')}
      </h2>
      {/* Rendered after hydration, so that the prerendered page stays small. */}
      {isHydrated && <EyeButton />}
      <span className="ml-auto text-sm text-gold-lit">{t(currency === 'LAK' ? 'kip' : 'baht')}</span>
    </div>
  );
}

type LastCheckProps = Pick<BalancePlaqueProps, 'lastSync' | 'isChecking' | 'onCheck' | 'onTransfer'>;

/** Time of the last check, and two actions. The prerendered page can't know the time, so it reserves its space. */
function LastCheck({ lastSync, isChecking, onCheck, onTransfer }: LastCheckProps) {
  const { t } = useTranslation('home');
  const isHydrated = useHydrated();
  return (
    <div className="mt-1 border-t border-gold/25 pt-1">
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
          icon={<TransferIcon className={PLAQUE_ICON_CLASS} />}
          onClick={onTransfer}
          className="px-2!"
        >
          {t('transfer')}
        </Button>
        <CheckButton isChecking={isChecking} onCheck={onCheck} />
      </div>
    </div>
  );
}

/** Hides and shows the member's amounts. */
function EyeButton() {
  const { t } = useTranslation('common');
  const isHidden = useBalanceHidden();
  return (
    <IconButton
      label={t('hideAmounts')}
      aria-pressed={isHidden}
      onClick={toggleBalanceHidden}
      className="-my-3 -ml-2 text-gold-lit!"
    >
      {isHidden ? <EyeOffIcon className="size-5" /> : <EyeIcon className="size-5" />}
    </IconButton>
  );
}

/**
 * The total, or its skeleton. On the prerendered page, `early-balance.ts` writes the balance into this element before
 * the app loads. A second element would delay the largest contentful paint.
 */
function TotalBalance({
  total,
  currency,
  isLoading,
  isStored,
}: {
  total: number | undefined;
  currency: Currency;
  isLoading: boolean;
  /** Whether this is the last known balance, until the wallet is loaded. */
  isStored: boolean;
}) {
  const isHidden = useBalanceHidden();
  const characterCount = totalCharacters(isHidden ? HIDDEN_AMOUNT : formatAmount(total ?? Number.NaN, { currency }));
  return (
    <div className="grid *:col-start-1 *:row-start-1">
      {isLoading && (
        <div className="py-1">
          <Skeleton className="h-full w-3/5" />
        </div>
      )}
      <p
        id={EARLY_BALANCE_ID}
        className={`fit-amount amount font-bold ${isStored ? 'text-muted' : 'text-ivory'}`}
        style={isLoading ? undefined : ({ '--characters': characterCount } as CSSProperties)}
        suppressHydrationWarning
      >
        {isLoading ? '' : <MemberAmount value={total} currency={currency} isAnimated={!isStored} />}
      </p>
    </div>
  );
}

/** Announces a changed total once to screen readers; the animated amount is hidden from them. */
function TotalAnnouncer({ total }: { total: number | undefined }) {
  const { t } = useTranslation('home');
  const { format } = useCurrency();
  const [lastTotal, setLastTotal] = useState(total);
  const [announcedTotal, setAnnouncedTotal] = useState<number>();
  const isHidden = useBalanceHidden();
  if (total !== undefined && total !== lastTotal) {
    setLastTotal(total);
    if (lastTotal !== undefined) setAnnouncedTotal(total);
  }
  return (
    <p role="status" className="sr-only">
      {announcedTotal !== undefined && !isHidden && t('newTotal', { amount: format(announcedTotal) })}
    </p>
  );
}

/** Class of the icons; they are hidden if the plaque is too narrow. */
export const PLAQUE_ICON_CLASS = 'hidden size-5 @min-[17rem]:block';

/** Button that checks all game balances. Space is reserved for both labels, so that nothing moves. */
export function CheckButton({ isChecking, onCheck }: { isChecking: boolean; onCheck: () => void }) {
  const { t } = useTranslation('home');
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={isChecking ? <Spinner className={PLAQUE_ICON_CLASS} /> : <RefreshIcon className={PLAQUE_ICON_CLASS} />}
      aria-busy={isChecking || undefined}
      aria-disabled={isChecking || undefined}
      onClick={isChecking ? undefined : onCheck}
      className="px-2!"
    >
      <span className="grid text-left whitespace-nowrap *:col-start-1 *:row-start-1 narrow:whitespace-normal">
        <span className={isChecking ? 'invisible' : ''}>{t('checkBalance')}</span>
        <span className={isChecking ? '' : 'invisible'}>{t('checking')}</span>
      </span>
    </Button>
  );
}

const BONUS_PAGE = '/user/bonus';

type WalletCondition = Wallet['conditions'][number];

/** Withdrawable amount, and the blocking condition with its progress as a link to the bonus page. */
export function WithdrawableRow({ wallet, currency }: { wallet: Wallet | undefined; currency: Currency }) {
  const { t } = useTranslation('home');
  const conditions = wallet?.conditions ?? [];
  const [condition] = conditions;
  return (
    <div className="flex min-h-11 items-center justify-between gap-x-3 border-t border-gold/25 pt-1 text-sm narrow:flex-wrap">
      {/* Beside a condition the amount moves below its label, so that the row keeps its height. */}
      <p className="flex flex-1 flex-wrap items-center gap-x-2 leading-tight">
        <span className="whitespace-nowrap text-ivory/85">
          {t(wallet?.withdrawal ? 'withdrawableNext' : 'withdrawable')}
        </span>
        {wallet ? (
          <span data-part="withdrawable" className="font-semibold">
            <MemberAmount value={wallet.withdrawable} currency={currency} withSign />
          </span>
        ) : (
          <Skeleton className="h-5 w-20" />
        )}
      </p>
      {condition && <ConditionChip condition={condition} count={conditions.length} />}
    </div>
  );
}

function ConditionChip({ condition, count }: { condition: WalletCondition; count: number }) {
  const { t } = useTranslation(['home', 'parts']);
  const { format } = useCurrency();
  const isHidden = useBalanceHidden();
  const kind = t(`parts:condition.kind.${condition.kind}`);
  const missing = missingOf(condition);
  const textKey = count > 1 ? 'openConditionsLeft' : missing.isTurnover ? 'openConditionBets' : 'openConditionLeft';
  const chipText =
    isHidden || missing.amount <= 0
      ? t('openCondition', { kind })
      : t(textKey, { kind, number: count, amount: format(missing.amount) });
  return (
    <Link
      href={BONUS_PAGE}
      onPointerEnter={() => prefetch(BONUS_PAGE)}
      onFocus={() => prefetch(BONUS_PAGE)}
      className="-my-1 flex min-h-11 items-center text-xs font-semibold text-amber"
    >
      <span className="rounded-full bg-amber-deep px-3 py-1 ring-1 ring-amber/50">{chipText}</span>
    </Link>
  );
}

/** What is missing to withdraw: of the balance, or of the bets where they are nearer to their target. */
function missingOf({ current, floor, target, turnover, turnoverTarget }: WalletCondition) {
  const moneyProgress = (current - floor) / (target - floor);
  const isTurnover = turnover !== null && !!turnoverTarget && turnover / turnoverTarget > moneyProgress;
  const [from, to] = isTurnover ? [turnover, turnoverTarget] : [current, target];
  return { isTurnover, amount: toWire((fromWire(to) ?? 0n) - (fromWire(from) ?? 0n)) };
}
