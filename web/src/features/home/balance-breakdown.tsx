import { toWire, type Currency } from '@krapao/contract/money';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../format/date.ts';
import { MemberAmount } from '../../shared/balance-display.tsx';
import { useSlidingContent } from '../../ui/core/sliding-content.ts';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import type { Holdings } from './balance-total.ts';

const categories = [
  { id: 'wallet', label: 'inWallet', colour: 'bg-gold' },
  { id: 'games', label: 'inGames', colour: 'bg-jade' },
  { id: 'inTransit', label: 'inTransit', colour: 'bg-ivory' },
  { id: 'withdrawing', label: 'withdrawing', colour: 'bg-edge' },
  // Outlined and excluded from the bar: stakes are not included in the total and may be lost.
  { id: 'bets', label: 'bets', colour: 'ring-2 ring-inset ring-ivory/85' },
] as const;
type BalanceCategory = (typeof categories)[number]['id'];

export type BalanceBreakdownProps = {
  holdings: Holdings;
  currency: Currency;
  isLoading: boolean;
  /** ISO time of the last known balance, until the wallet is loaded. */
  storedAt: string | undefined;
};

/** Whether a category is listed even if its amount is 0. */
const isAlwaysListed = (id: BalanceCategory): boolean => id === 'wallet' || id === 'games';
const isInMovement = (id: BalanceCategory): boolean => id === 'inTransit' || id === 'withdrawing';

/** Location of the member's money, as a proportional bar and as amounts. */
export function BalanceBreakdown({ holdings, currency, isLoading, storedAt }: BalanceBreakdownProps) {
  const { t } = useTranslation('home');
  const ref = useRef<HTMLDivElement>(null);
  useSlidingContent(ref);
  const listedCategories = categories.filter(({ id }) => isAlwaysListed(id) || (holdings[id] ?? 0n) > 0n);
  return (
    <div ref={ref} className="mt-2">
      {storedAt ? (
        <time dateTime={storedAt} className="amount -mt-3 block h-5 text-xs text-ivory/85">
          {formatDateTime(storedAt)}
        </time>
      ) : (
        <div aria-hidden="true" className="flex h-2 gap-0.5 overflow-hidden rounded-full bg-well/70">
          {listedCategories
            .filter(({ id }) => id !== 'bets')
            .map(({ id, colour }) => (
              <span
                key={id}
                className={`${colour} transition-[flex-grow] duration-300 ease-settle`}
                // No inline style while loading: the content security policy refuses inline styles on a prerendered page.
                {...(!isLoading && { style: { flexGrow: Number(holdings[id] ?? 0n) } })}
              />
            ))}
        </div>
      )}
      <dl aria-label={t('where')} className="mt-2 grid gap-1 text-sm">
        {listedCategories.map(({ id, label, colour }) => (
          <div key={id} className="flex items-center gap-2 narrow:flex-wrap narrow:gap-y-0">
            <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-full ${colour}`} />
            <dt className="text-ivory/85">{t(label)}</dt>
            <dd className="flex h-6 grow items-center justify-end font-semibold">
              {isLoading ? (
                <Skeleton className="h-5 w-20" />
              ) : (
                <MemberAmount
                  value={holdings[id] === undefined ? undefined : toWire(holdings[id])}
                  currency={currency}
                  isAnimated
                />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {listedCategories.some(({ id }) => isInMovement(id)) && (
        <p className="mt-2 text-xs text-ivory/85">{t('inTransitHint')}</p>
      )}
    </div>
  );
}
