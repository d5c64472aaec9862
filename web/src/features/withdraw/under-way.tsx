import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import { formatDateTime } from '../../format/date.ts';
import { Amount } from '../../ui/text/amount.tsx';
import { Button } from '../../ui/button.tsx';
import { ModalActions } from '../../ui/overlay/modal.tsx';
import { Spinner } from '../../ui/state/spinner.tsx';
import { type BankAccount, Destination } from './destination.tsx';

export type WithdrawUnderWayProps = {
  withdrawal: NonNullable<Wallet['withdrawal']>;
  account: BankAccount | null;
  onClose: () => void;
};

/** A withdrawal that isn't decided yet: how much, how it stands, where it goes. */
export function WithdrawUnderWay({ withdrawal, account, onClose }: WithdrawUnderWayProps) {
  const { t } = useTranslation(['withdraw', 'common']);
  const { currency } = useMoney();
  return (
    <div className="grid gap-4">
      <div className="flex items-center gap-4">
        <span className="flex size-12 shrink-0 items-center justify-center rounded-full bg-amber-deep text-amber ring-1 ring-amber/50">
          <Spinner className="size-6" />
        </span>
        <div className="min-w-0">
          <p className="text-2xl font-bold">
            <Amount value={withdrawal.amount} currency={currency} withSign />
          </p>
          <p role="status" data-state={withdrawal.state} className="text-amber">
            {t(`state.${withdrawal.state}`)}
          </p>
        </div>
      </div>
      <dl className="grid gap-1 text-sm">
        <div className="flex flex-wrap justify-between gap-x-3">
          <dt className="text-muted">{t('requestedAt')}</dt>
          <dd className="tabular-nums">{formatDateTime(withdrawal.createdAt)}</dd>
        </div>
        <div className="flex flex-wrap justify-between gap-x-3">
          <dt className="text-muted">{t('reference')}</dt>
          <dd className="min-w-0">{withdrawal.reference}</dd>
        </div>
      </dl>
      {account && <Destination account={account} />}
      <p className="text-sm text-muted">{t('oneAtATime')}</p>
      <ModalActions>
        <Button variant="quiet" wide onClick={onClose}>
          {t('common:close')}
        </Button>
      </ModalActions>
    </div>
  );
}
