import { useTranslation } from 'react-i18next';
import { WALLET_APP_MINIMUM } from '@krapao/contract/constants';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { copyText } from '../../../ui/copy-button.tsx';
import { AccountCard } from './account-card.tsx';
import { GiftLinkForm } from '../truelink/gift-link-form.tsx';
import { Notes } from '../notes.tsx';
import { isWatched, type WalletAccount } from '../ways.ts';

export type WalletPanelProps = { wallet: WalletAccount; onArrived: (amount: number) => void };

/** Paying in from the wallet app: to our account there, or by a gift link. */
export function WalletPanel({ wallet, onArrived }: WalletPanelProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const rules = [t('walletLeast', { minimum: money.text(WALLET_APP_MINIMUM) }), t('noBankQr')];
  if (!isWatched(wallet)) return <GiftLinkForm rules={rules} onArrived={onArrived} />;
  return (
    <div className="grid gap-4">
      <AccountCard
        bank={t('walletApp')}
        holder={wallet.walletAccountName}
        number={wallet.walletAccountNo}
        numberLabel={t('walletNumber')}
        onCopy={() => void copyText(wallet.walletAccountNo)}
      />
      <Notes of={[t('walletByItself'), ...rules]} />
    </div>
  );
}
