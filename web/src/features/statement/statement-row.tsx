import { useTranslation } from 'react-i18next';
import type { Reply } from '../../api/endpoint-types.ts';
import { WALLET, type GameAccount } from '../../api/wallet.ts';
import { withdrawReasonText } from '../../api/withdraw-outcome.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAmount, type Currency } from '../../format/number.ts';
import { Amount } from '../../ui/amount.tsx';
import type { Icon } from '../../ui/icons/icon.tsx';
import { BankIcon, BonusIcon, QrIcon, TransferIcon, WithdrawIcon } from '../../ui/icons/member-icons.tsx';
import { PhoneIcon } from '../../ui/icons/shell-icons.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { bankOf, type Place, placeOf } from './place.ts';

type Entry = Reply<'POST /api/statement'>['statements'][number];

/** By what the movement is; deposits by where they came from. */
const icons: Record<Exclude<Entry['statementType'], 'deposit'> | Place['kind'], Icon> = {
  withdraw: WithdrawIcon,
  transfer: TransferIcon,
  bonus: BonusIcon,
  finish_bonus: BonusIcon,
  bank: BankIcon,
  walletApp: PhoneIcon,
  other: QrIcon,
};

const kindOf = ({ statementType, from }: Entry): keyof typeof icons =>
  statementType === 'deposit' ? placeOf(from).kind : statementType;

export type StatementRowProps = {
  entry: Entry;
  /** For the names of games. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  currency: Currency | undefined;
};

/** One movement: what it was, how it stands, when, and what it did to the wallet. */
export function StatementRow({ entry, games, currency = 'BAHT' }: StatementRowProps) {
  const { t } = useTranslation('statement');
  const TypeIcon = icons[kindOf(entry)];
  const activityOf = useActivity(games);
  const hasFailed = entry.status === 'FAILED';
  return (
    <li className="flex items-start gap-3 border-b border-line px-2 py-3 last:border-b-0">
      <span className="flex size-11 shrink-0 items-center justify-center rounded-full bg-raised text-gold ring-1 ring-line">
        <TypeIcon />
      </span>
      <div className="min-w-0 grow">
        <p className="font-medium break-words">{activityOf(entry)}</p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span className="tabular-nums">{formatDateTime(entry.createdAt)}</span>
          <RelativeTime at={entry.createdAt} className="whitespace-nowrap" />
        </p>
        {hasFailed && (
          <p className="text-sm text-muted">{t('returned', { amount: formatAmount(entry.requested, { currency }) })}</p>
        )}
        {hasFailed && entry.statementType === 'withdraw' && (
          <p className="text-sm text-coral">{t('withdrawFailed', { reason: withdrawReasonText(entry.reason) })}</p>
        )}
      </div>
      <div className="flex shrink-0 flex-col items-end gap-1">
        <Amount value={entry.amount} currency={currency} signed className="font-semibold" />
        <StatusBadge status={entry.status} />
      </div>
    </li>
  );
}

/** What a movement was, in words. */
function useActivity(games: StatementRowProps['games']) {
  const { t } = useTranslation('statement');
  const name = (account: string): string =>
    account === WALLET ? t('wallet') : (games.find((game) => game.code === account)?.name ?? account);
  return ({ statementType, from, to }: Entry): string => {
    if (statementType === 'withdraw') {
      const bank = bankOf(to);
      return bank ? t('withdraw', { to: bank }) : t('withdrawPlain');
    }
    if (statementType !== 'deposit') return t(statementType, { from: name(from), to: name(to) });
    const place = placeOf(from);
    if (place.kind === 'bank') return place.bank ? t('depositBank', { bank: place.bank }) : t('depositBankPlain');
    if (place.kind === 'walletApp') return t('depositWalletApp');
    return t('deposit', { from: name(from) });
  };
}
