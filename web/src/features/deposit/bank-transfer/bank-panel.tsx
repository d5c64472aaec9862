import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { needsEnglishName, isEnglishName } from '@krapao/contract/rules';
import { useWallet } from '../../../member/wallet.ts';
import { formatAccountNumber, bankName } from '../../../format/text.ts';
import { Button } from '../../../ui/core/button.tsx';
import { copyText } from '../../../ui/copy-button.tsx';
import { SlipIcon } from '../../../ui/deposit-icons.tsx';
import { EditNameModal } from './edit-name-modal.tsx';
import { BulletList } from '../panel-parts.tsx';
import { AnnouncementCard } from './announcement.tsx';
import { useSlipWords } from '../slip/use-slip-upload.ts';
import { type DepositAccount, isAutoDetected, type WalletAccount } from '../methods.ts';
import { CopyIcon } from '../../../ui/core/icons.tsx';
import { WALLET_APP_MINIMUM } from '@krapao/contract/constants';
import { useMoney } from '../../../member/money.ts';
import { GiftLinkForm } from '../truelink/gift-link-form.tsx';

/** Delay of copying the number after the name was saved, in ms. */
const COPY_AFTER_MS = 1_000;

export type BankPanelProps = {
  account: DepositAccount;
  /** Whether slips are accepted. */
  takesSlips: boolean;
  /** Opens the slip method. */
  onSlip: () => void;
};

/** Transfer to an account of the operator: target, sender, and how it is matched. */
export function BankPanel({ account, takesSlips, onSlip }: BankPanelProps) {
  const { t } = useTranslation('deposit');
  const { data } = useWallet();
  const [isEditing, setEditing] = useState(false);
  const slip = useSlipWords();
  const own = data?.bankAccount;
  const copy = (): void => void copyText(account.bankAccountNo);
  // KBANK's feed has sender names in English letters only: another name can't be matched.
  const needsName =
    account.bankCode === 'KBANK' &&
    isAutoDetected(account) &&
    own &&
    needsEnglishName(own.bankCode) &&
    !isEnglishName(own.bankAccountName);
  const onSaved = (): void => void setTimeout(copy, COPY_AFTER_MS);
  const notes = [
    own && (
      <>
        {t('fromOwn', { bank: bankName(own.bank) })}{' '}
        <span className="amount">{formatAccountNumber(own.bankAccountNo)}</span>
      </>
    ),
    t(isAutoDetected(account) ? 'comesByItself' : 'comesWithSlip'),
    ...(takesSlips ? [slip.within, slip.closed] : isAutoDetected(account) ? [] : [t('slipByContact')]),
  ].map((note) => note ?? undefined);
  return (
    <div className="grid gap-4">
      <AccountCard
        bank={bankName(account.bank)}
        holder={account.bankAccountName}
        number={account.bankAccountNo}
        onCopy={() => (needsName ? setEditing(true) : copy())}
      />
      <BulletList of={notes} />
      <AfterTransfer account={account} takesSlips={takesSlips} onSlip={onSlip} />
      {isEditing && own && <EditNameModal account={own} onClose={() => setEditing(false)} onSaved={onSaved} />}
    </div>
  );
}

/** After the transfer: an announcement or a slip. */
function AfterTransfer({ account, takesSlips, onSlip }: BankPanelProps) {
  const { t } = useTranslation('deposit');
  if (isAutoDetected(account)) return <AnnouncementCard account={account} />;
  return takesSlips ? (
    <Button icon={<SlipIcon />} onClick={onSlip}>
      {t('slipNow')}
    </Button>
  ) : null;
}

export type AccountCardProps = {
  bank: string;
  holder: string;
  number: string;
  /** Label of the number, if it is no bank account. */
  numberLabel?: string;
  onCopy: () => void;
};

/** Target account with its number in large digits. */
export function AccountCard({ bank, holder, number, numberLabel, onCopy }: AccountCardProps) {
  const { t } = useTranslation(['deposit', 'parts']);
  return (
    <section className="plaque relative isolate overflow-hidden rounded-lg p-4 shadow-low ring-1 ring-gold/40 ring-inset">
      <dl className="grid gap-3">
        <div>
          <dt className="text-sm text-gold-lit">{t('accountHolder')}</dt>
          <dd className="font-medium">{holder}</dd>
          <dd className="text-sm text-ivory/85">{bank}</dd>
        </div>
        <div>
          <dt className="text-sm text-gold-lit">{numberLabel ?? t('accountNumber')}</dt>
          <dd className="amount text-2xl leading-tight font-bold text-ivory">{formatAccountNumber(number)}</dd>
        </div>
      </dl>
      <Button variant="gold" wide icon={<CopyIcon className="size-5" />} className="mt-4" onClick={onCopy}>
        {t('copyNumber')}
      </Button>
    </section>
  );
}

export type WalletPanelProps = { wallet: WalletAccount; onArrived: (amount: number) => void };

/** Wallet app: a transfer to the operator's account, or a gift link. */
export function WalletPanel({ wallet, onArrived }: WalletPanelProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const rules = [t('walletLeast', { minimum: money.text(WALLET_APP_MINIMUM) }), t('noBankQr')];
  if (!isAutoDetected(wallet)) return <GiftLinkForm rules={rules} onArrived={onArrived} />;
  return (
    <div className="grid gap-4">
      <AccountCard
        bank={t('walletApp')}
        holder={wallet.walletAccountName}
        number={wallet.walletAccountNo}
        numberLabel={t('walletNumber')}
        onCopy={() => void copyText(wallet.walletAccountNo)}
      />
      <BulletList of={[t('walletByItself'), ...rules]} />
    </div>
  );
}
