import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { readAmount } from '../../../format/typed-amount.ts';
import { AmountInput } from '../../../ui/form/amount-input.tsx';
import { Button } from '../../../ui/button.tsx';
import { ClockIcon } from '../../../ui/icons/member-icons.tsx';
import { toast } from '../../../ui/overlay/toast-store.ts';
import { NoticeGiven } from './notice-given.tsx';
import { useDepositNotice } from './use-deposit-notice.ts';
import type { DepositAccount } from '../ways.ts';

/** Smallest amount that can be announced, in whole units. */
const TOLD_FROM = 1;

/** The member's word that money is on its way, which helps to know it when it comes. */
export function SentNotice({ account }: { account: DepositAccount }) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const [typed, setTyped] = useState('');
  const { notice, give, isGiving, forget } = useDepositNotice(account);
  const amount = readAmount(typed, money.bankField);
  const least = Math.max(account.minimum ?? 0, TOLD_FROM);
  const isOutside = amount < least || amount > (account.maximum ?? Infinity);
  const minimum = money.text(least);
  const range =
    account.maximum === null
      ? t('rangeFrom', { minimum })
      : t('range', { minimum, maximum: money.text(account.maximum) });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isOutside && !isGiving) give(amount);
  };
  const over = (): void => {
    toast.info(t('noticeOver'));
    forget();
  };
  if (notice) return <NoticeGiven notice={notice} onEnd={forget} onOver={over} />;
  return (
    <form onSubmit={submit} className="grid gap-1 border-t border-line pt-4">
      <h4 className="flex items-center gap-2 font-medium">
        <ClockIcon className="size-5 text-amber" />
        {t('notice')}
      </h4>
      <p className="text-sm text-muted">{t('noticeWhy')}</p>
      <div className="mt-2 grid gap-1">
        <AmountInput
          label={t('noticeAmount')}
          value={typed}
          onChange={setTyped}
          {...money.bankField}
          hint={range}
          error={typed !== '' && isOutside ? range : undefined}
        />
        <Button type="submit" variant="quiet" wide disabled={isOutside} busy={isGiving && t('noticeGiving')}>
          {t('noticeGive')}
        </Button>
      </div>
    </form>
  );
}
