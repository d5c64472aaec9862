import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { toWire } from '@krapao/contract/money';
import type { Wallet } from '../../api/wallet.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/button.tsx';
import { RefreshIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { holdingsOf } from './total.ts';
import { WhereItIs } from './where-it-is.tsx';

export type BalancePlaqueProps = {
  wallet: Wallet | undefined;
  isLoading: boolean;
  /** When the providers were last asked: ISO text, or null. */
  lastSync: string | null;
  isChecking: boolean;
  onCheck: () => void;
};

/** The total on a plaque of lacquer, where it lies, and how fresh that is. */
export function BalancePlaque({ wallet, isLoading, lastSync, isChecking, onCheck }: BalancePlaqueProps) {
  const { t } = useTranslation('home');
  const currency = wallet?.profile.currency ?? 'BAHT';
  const holdings = holdingsOf(wallet);
  const total = holdings.total === undefined ? undefined : toWire(holdings.total);
  const characters = formatAmount(total ?? Number.NaN, { currency }).length;
  return (
    <section
      aria-labelledby="home-total"
      className="plaque @container relative isolate overflow-hidden rounded-lg p-5 shadow-high ring-1 ring-gold/40"
    >
      <div className="flex items-baseline justify-between gap-3">
        <h2 id="home-total" className="text-sm font-medium text-gold-lit">
          {t('total')}
        </h2>
        <span className="text-sm text-gold-lit">{t(currency === 'LAK' ? 'kip' : 'baht')}</span>
      </div>
      {isLoading ? (
        <Skeleton className="my-1 h-[calc(var(--text-balance)*1.15-0.5rem)] w-3/5" />
      ) : (
        <p
          aria-live="polite"
          className="fit-amount font-bold text-ivory"
          style={{ '--characters': Math.max(characters, 6) } as CSSProperties}
        >
          <Amount value={total} currency={currency} counts />
        </p>
      )}
      <WhereItIs holdings={holdings} currency={currency} isLoading={isLoading} />
      <div className="mt-4 flex flex-col gap-2 border-t border-gold/25 pt-3 @min-[18rem]:flex-row @min-[18rem]:items-center">
        <p className="min-h-10 grow text-xs text-ivory/85">
          {lastSync ? t('lastSync') : t('neverSynced')}
          {lastSync && (
            <time dateTime={lastSync} className="amount block">
              {formatDateTime(lastSync)}
            </time>
          )}
        </p>
        <Button
          variant="quiet"
          size="sm"
          icon={<RefreshIcon className="size-5" />}
          busy={isChecking && t('checking')}
          onClick={onCheck}
          className="shrink-0"
        >
          {t('checkBalance')}
        </Button>
      </div>
    </section>
  );
}
