import { WALLET_APP_MINIMUM } from '@krapao/contract/constants';
import { needsEnglishName, isEnglishName } from '@krapao/contract/rules';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAccountNumber, bankName } from '../../../format/text.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { useWallet } from '../../../member/wallet.ts';
import { copyText } from '../../../ui/copy-button.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { CopyIcon } from '../../../ui/core/icons.tsx';
import { SlipIcon } from '../../../ui/deposit-icons.tsx';
import type { Advice } from '../advice/use-advice.ts';
import { type DepositAccount, isAutoDetected, type WalletAccount } from '../methods.ts';
import { BulletList } from '../panel-parts.tsx';
import { useSlipWords } from '../slip/use-slip-upload.ts';
import { GiftLinkForm } from '../truelink/gift-link-form.tsx';
import { AnnouncementCard } from './announcement.tsx';
import { EditNameModal } from './edit-name-modal.tsx';

/** Delay in ms before the account number is copied after the name was saved. */
const COPY_DELAY_MS = 1_000;

export type BankPanelProps = {
  account: DepositAccount;
  /** Whether the operator accepts slips. */
  takesSlips: boolean;
  /** Its amount is the one to announce. */
  advice: Pick<Advice, 'typed' | 'setTyped' | 'amount'>;
  /** Beside the question: without the announcement, which would ask for the amount again. */
  isPreview?: boolean;
  /** Opens the slip method. */
  onSlip: () => void;
};

/** Transfer to an account of the operator: target account, sender account, and how the transfer is matched. */
export function BankPanel({ account, takesSlips, advice, isPreview = false, onSlip }: BankPanelProps) {
  const { t } = useTranslation('deposit');
  const { data } = useWallet();
  const [isEditing, setEditing] = useState(false);
  // A row that appears while the amount is typed below would move the field.
  const [showsAmount] = useState(advice.amount !== undefined);
  const slipTexts = useSlipWords();
  const memberAccount = data?.bankAccount;
  const copyNumber = (): void => void copyText(account.bankAccountNo);
  // KBANK reports sender names in English letters only, so other names can't be matched.
  const needsName =
    account.bankCode === 'KBANK' &&
    isAutoDetected(account) &&
    memberAccount &&
    needsEnglishName(memberAccount.bankCode) &&
    !isEnglishName(memberAccount.bankAccountName);
  const onNameSaved = (): void => void setTimeout(copyNumber, COPY_DELAY_MS);
  const notes = [
    memberAccount && (
      <>
        {t('fromOwn', { bank: bankName(memberAccount.bank) })}{' '}
        <span className="amount">{formatAccountNumber(memberAccount.bankAccountNo)}</span>
      </>
    ),
    t(isAutoDetected(account) ? 'comesByItself' : 'comesWithSlip'),
    ...(takesSlips ? [slipTexts.within, slipTexts.closed] : isAutoDetected(account) ? [] : [t('slipByContact')]),
  ].map((note) => note ?? undefined);
  return (
    <div className="grid gap-4">
      <AccountCard
        bank={bankName(account.bank)}
        holder={account.bankAccountName}
        number={account.bankAccountNo}
        amount={showsAmount || isPreview ? advice.amount : undefined}
        onCopy={() => (needsName ? setEditing(true) : copyNumber())}
      />
      <BulletList items={notes} />
      {!isPreview && <AfterTransfer account={account} takesSlips={takesSlips} advice={advice} onSlip={onSlip} />}
      {isEditing && memberAccount && (
        <EditNameModal account={memberAccount} onClose={() => setEditing(false)} onSaved={onNameSaved} />
      )}
    </div>
  );
}

/** Shown below the account: announcement of the transfer, or upload of a slip. */
function AfterTransfer({ account, takesSlips, advice, onSlip }: BankPanelProps) {
  const { t } = useTranslation('deposit');
  if (isAutoDetected(account)) return <AnnouncementCard account={account} advice={advice} />;
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
  /** Label of the number if it is not a bank account. */
  numberLabel?: string;
  /** Amount to send, if it was entered before. */
  amount?: number | undefined;
  onCopy: () => void;
};

/** Card of the target account, with its number in large digits. */
export function AccountCard({ bank, holder, number, numberLabel, amount, onCopy }: AccountCardProps) {
  const { t } = useTranslation(['deposit', 'parts']);
  const money = useCurrency();
  return (
    <section className="night plaque relative isolate overflow-hidden rounded-lg p-4 shadow-low ring-1 ring-gold/40 ring-inset">
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
        {amount !== undefined && (
          <div>
            <dt className="text-sm text-gold-lit">{t('amountToSend')}</dt>
            <dd className="amount text-lg font-semibold text-ivory">{money.format(amount)}</dd>
          </div>
        )}
      </dl>
      <Button variant="gold" wide icon={<CopyIcon className="size-5" />} className="mt-4" onClick={onCopy}>
        {t('copyNumber')}
      </Button>
    </section>
  );
}

export type WalletPanelProps = {
  wallet: WalletAccount;
  amount: number | undefined;
  onArrived: (amount: number) => void;
};

/** Wallet app method: transfer to the operator's wallet account, or a gift link. */
export function WalletPanel({ wallet, amount, onArrived }: WalletPanelProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const rules = [t('walletLeast', { minimum: money.format(WALLET_APP_MINIMUM) }), t('noBankQr')];
  if (!isAutoDetected(wallet)) return <GiftLinkForm rules={rules} onArrived={onArrived} />;
  return (
    <div className="grid gap-4">
      <AccountCard
        bank={t('walletApp')}
        holder={wallet.walletAccountName}
        number={wallet.walletAccountNo}
        numberLabel={t('walletNumber')}
        amount={amount}
        onCopy={() => void copyText(wallet.walletAccountNo)}
      />
      <BulletList items={[t('walletByItself'), ...rules]} />
    </div>
  );
}
