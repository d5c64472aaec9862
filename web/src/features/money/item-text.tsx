import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import { apiQuery } from '../../api/query/query.ts';
import { formatTime } from '../../format/date.ts';
import { useShownOutcomes } from '../../member/shown-outcomes.ts';
import type { CurrencyFormat } from '../../member/use-currency.ts';
import { useWallet } from '../../member/wallet.ts';
import { MemberMoneyText } from '../../shared/balance-display.tsx';
import { Countdown } from '../../ui/time.tsx';
import type { Ended, PendingItem } from './use-pending.ts';

/** What is waited for, in a few words. */
export function ItemText({ item }: { item: PendingItem }) {
  const { t } = useTranslation('money');
  const slots = useWallet().data?.slots;
  const { kind, state, amount, payAmount, place } = item;
  const text = (format: CurrencyFormat['format']): string => {
    if (kind === 'gift') return t('strip.gift');
    if (kind === 'slip') return t(state === 'MANUAL' ? 'strip.slipReview' : 'strip.slip');
    if (kind === 'notice') return t('strip.notice', { amount: format(payAmount ?? amount ?? Number.NaN) });
    const money = format(amount ?? Number.NaN);
    if (kind !== 'transfer') return t(`strip.${kind}`, { amount: money });
    return t('strip.transfer', { amount: money, game: slots?.find(({ code }) => code === place)?.name ?? place ?? '' });
  };
  return <MemberMoneyText text={text} />;
}

/** Time left to pay, or the expected end; when the list is old, its age. */
export function ItemTime({ item, lastKnown }: { item: PendingItem; lastKnown: string | undefined }) {
  const { t } = useTranslation('money');
  const { expiresAt, expectedBy } = item;
  if (lastKnown !== undefined) return t('strip.lastKnown', { time: formatTime(lastKnown) });
  if (expiresAt !== null) return <Countdown key={expiresAt} until={expiresAt} now={serverNow} />;
  if (expectedBy === null) return null;
  return Date.parse(expectedBy) < serverNow() ? (
    <span className="text-amber">{t('strip.late')}</span>
  ) : (
    t('strip.expected', { time: formatTime(expectedBy) })
  );
}

/** Polling interval in ms until the bonus of a deposit is decided. */
const BONUS_POLL_MS = 2_000;

const BONUS = ['bonus'] as const;
const NONE = [] as const;

/** How an item ended. A deposit also names its bonus, which is credited after it. */
export function EndedText({ ended: { key, tone, item } }: { ended: Ended }) {
  const { t } = useTranslation('money');
  const { data } = useQuery({
    ...apiQuery('GET /api/money/{key}', { params: { key }, quiet: true }),
    enabled: item.bonus?.state === 'PENDING',
    staleTime: 0,
    refetchInterval: ({ state }) => state.data?.bonus?.state === 'PENDING' && BONUS_POLL_MS,
  });
  useShownOutcomes(item.bonus ? BONUS : NONE);
  const kind = item.kind === 'withdraw' || item.kind === 'transfer' ? item.kind : 'deposit';
  if (tone === 'bad') return t(`failed.${kind}`);
  const amount = item.requested ?? Math.abs(item.amount);
  const bonus = data?.bonus ?? item.bonus;
  const text = (format: CurrencyFormat['format']): string =>
    bonus?.state === 'RECEIVED'
      ? t('ended.depositWithBonus', { amount: format(amount), bonus: format(bonus.amount ?? 0) })
      : t(`ended.${kind}`, { amount: format(amount) });
  return (
    <>
      <MemberMoneyText text={text} />
      {bonus?.state === 'REFUSED' && <span className="block">{t('bonus.refused', { name: bonus.name })}</span>}
    </>
  );
}
