import { useTranslation } from 'react-i18next';
import type { Currency } from '../../format/number.ts';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/button.tsx';
import { InviteIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export type ReferralBonusProps = { amount: number | undefined; isLoading: boolean; currency: Currency | undefined };

/**
 * What the member's invited friends have earned them so far. While nobody can be invited the amount is nothing, and
 * there is nothing to receive.
 */
export function ReferralBonus({ amount, isLoading, currency = 'BAHT' }: ReferralBonusProps) {
  const { t } = useTranslation('home');
  return (
    <dl className="flex min-h-14 items-center gap-3 rounded-lg bg-panel px-4 py-2 shadow-low ring-1 ring-line">
      <InviteIcon className="size-6 text-gold max-[22rem]:hidden" />
      <dt className="text-sm text-muted">{t('referral')}</dt>
      <dd className="flex h-7 grow items-center justify-end font-semibold text-gold-lit">
        {isLoading ? <Skeleton className="h-5 w-8" /> : <Amount value={amount} currency={currency} counts />}
      </dd>
      <dd className="flex">
        <Button size="sm" variant="gold" disabled className="whitespace-nowrap">
          {t('receive')}
        </Button>
      </dd>
    </dl>
  );
}
