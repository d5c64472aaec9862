import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { needsEnglishName, isEnglishName } from '@krapao/contract/rules';
import { useWallet } from '../../../shared/wallet/use-wallet.ts';
import { formatAccountNumber } from '../../../format/account-number.ts';
import { bankName } from '../../../format/bank-name.ts';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy-button.tsx';
import { SlipIcon } from '../../../ui/icons/deposit-icons.tsx';
import { AccountCard } from './account-card.tsx';
import { EditNameModal } from './edit-name-modal.tsx';
import { Notes } from '../notes.tsx';
import { SentNotice } from './sent-notice.tsx';
import { useSlipWords } from '../slip/use-slip-times.ts';
import { type DepositAccount, isWatched } from '../ways.ts';

/** Wait before the number is copied after the name was changed, in ms. */
const COPY_AFTER_MS = 1_000;

export type BankPanelProps = {
  account: DepositAccount;
  /** Whether slips are looked at. */
  takesSlips: boolean;
  /** Goes on to sending a slip. */
  onSlip: () => void;
};

/** Transferring to one of the operator's accounts: where to, from where, and how the money is found. */
export function BankPanel({ account, takesSlips, onSlip }: BankPanelProps) {
  const { t } = useTranslation('deposit');
  const { data } = useWallet();
  const [isEditing, setEditing] = useState(false);
  const slip = useSlipWords();
  const own = data?.bankAccount;
  const copy = (): void => void copyText(account.bankAccountNo);
  // KBANK's feed tells who paid in English letters only: another name could not be matched.
  const needsName =
    account.bankCode === 'KBANK' &&
    isWatched(account) &&
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
    t(isWatched(account) ? 'comesByItself' : 'comesWithSlip'),
    ...(takesSlips ? [slip.within, slip.closed] : isWatched(account) ? [] : [t('slipByContact')]),
  ].map((note) => note ?? undefined);
  return (
    <div className="grid gap-4">
      <AccountCard
        bank={bankName(account.bank)}
        holder={account.bankAccountName}
        number={account.bankAccountNo}
        onCopy={() => (needsName ? setEditing(true) : copy())}
      />
      <Notes of={notes} />
      <AfterTransfer account={account} takesSlips={takesSlips} onSlip={onSlip} />
      {isEditing && own && <EditNameModal account={own} onClose={() => setEditing(false)} onSaved={onSaved} />}
    </div>
  );
}

/** What follows the transfer: word that it is on its way, or its slip. */
function AfterTransfer({ account, takesSlips, onSlip }: BankPanelProps) {
  const { t } = useTranslation('deposit');
  if (isWatched(account)) return <SentNotice account={account} />;
  return takesSlips ? (
    <Button icon={<SlipIcon />} onClick={onSlip}>
      {t('slipNow')}
    </Button>
  ) : null;
}
