import { useTranslation } from 'react-i18next';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import type { Currency } from '@krapao/contract/money';
import { Amount } from '../../ui/text/amount.tsx';
import { Button } from '../../ui/button.tsx';
import { InviteIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';

export type ReferralBonusProps = {
  invite: Wallet['invite'] | undefined;
  isLoading: boolean;
  currency: Currency | undefined;
  onReceive: (invite: Wallet['invite']) => void;
};

/** What the member's invited friends have earned them so far, to be received while it is anything. */
export function ReferralBonus({ invite, isLoading, currency = 'BAHT', onReceive }: ReferralBonusProps) {
  const { t } = useTranslation('home');
  return (
    <dl className="flex min-h-14 items-center gap-3 rounded-lg narrow:flex-wrap bg-panel px-4 py-2 shadow-low ring-1 ring-line">
      <InviteIcon className="size-6 text-gold max-[22rem]:hidden" />
      <dt className="text-sm text-muted">{t('referral')}</dt>
      <dd className="flex h-7 grow items-center justify-end font-semibold text-gold-lit">
        {isLoading ? <Skeleton className="h-5 w-8" /> : <Amount value={invite?.amount} currency={currency} counts />}
      </dd>
      <dd className="flex">
        <Button
          size="sm"
          variant="gold"
          disabled={!invite?.amount}
          aria-haspopup="dialog"
          onClick={() => invite && onReceive(invite)}
          className="whitespace-nowrap"
        >
          {t('receive')}
        </Button>
      </dd>
    </dl>
  );
}
