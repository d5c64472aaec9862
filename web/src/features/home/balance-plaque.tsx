import { type CSSProperties, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Currency, toWire } from '@krapao/contract/money';
import { useMoney } from '../../shared/wallet/use-money.ts';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { Amount } from '../../ui/text/amount.tsx';
import { Button } from '../../ui/button.tsx';
import { TransferIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { useHydrated } from '../../ui/use-hydrated.ts';
import { CheckButton, PLAQUE_ICON } from './check-button.tsx';
import { EARLY_BALANCE_ID, EARLY_CURRENCY } from './early-balance-id.ts';
import { charactersOf, holdingsOf } from './total.ts';
import { WhereItIs } from './where-it-is.tsx';
import { WithdrawableRow } from './withdrawable-row.tsx';

export type BalancePlaqueProps = {
  wallet: Wallet | undefined;
  isLoading: boolean;
  /** When the providers were last asked: ISO text, or null. */
  lastSync: string | null;
  isChecking: boolean;
  onCheck: () => void;
  onTransfer: () => void;
};

/** The total on a plaque of lacquer, where it lies, and how fresh that is. */
export function BalancePlaque({ wallet, isLoading, lastSync, isChecking, onCheck, onTransfer }: BalancePlaqueProps) {
  const { t } = useTranslation('home');
  const currency = wallet?.profile.currency ?? EARLY_CURRENCY;
  // When the last round was is only known to the browser: the prerendered page keeps its place.
  const isHydrated = useHydrated();
  const holdings = holdingsOf(wallet);
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
      <WhereItIs holdings={holdings} currency={currency} isLoading={isLoading} />
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
 * The total, or its skeleton. A script of the prerendered page writes the balance into the same element before the app is
 * loaded (`early-balance.ts`); a second element would be a second, later largest paint.
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
  const characters = charactersOf(formatAmount(total ?? Number.NaN, { currency }));
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

/** Says a total that has changed, once and in words; the figures count to it for the eye alone. */
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
