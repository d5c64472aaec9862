import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { type EndedWithdrawal, withdrawReasonText } from '../../shared/withdraw/withdraw-outcome.ts';
import { Popup } from '../../ui/overlay/popup.tsx';
import { type BankAccount, bankWords } from './destination.tsx';
import { NotBrought, type NotBroughtProps } from './not-brought.tsx';

export type WithdrawEndProps = {
  end: EndedWithdrawal;
  account: BankAccount | null;
  games: NotBroughtProps['games'];
  notBrought: NotBroughtProps['list'];
  onClose: () => void;
};

/** The outcome of a withdrawal that was on screen: the money is at the bank, or back in the wallet, and why. */
export function WithdrawEnd({ end, account, games, notBrought, onClose }: WithdrawEndProps) {
  const { t } = useTranslation('withdraw');
  const amount = useMoney().text(end.amount);
  return (
    <Popup
      open
      tone={end.isPaid ? 'success' : 'danger'}
      title={t(end.isPaid ? 'paidTitle' : 'failureTitle')}
      onClose={onClose}
      message={
        <>
          {end.isPaid ? (
            <p>{t('paid', { amount, ...bankWords(account) })}</p>
          ) : (
            <>
              <p className="first-letter:uppercase">{withdrawReasonText(end.reason)}</p>
              <p className="mt-2 text-sm text-muted">{t('cameBack', { amount })}</p>
            </>
          )}
          <NotBrought games={games} list={notBrought} />
        </>
      }
    />
  );
}
