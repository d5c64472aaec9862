import { useTranslation } from 'react-i18next';
import type { Reply } from '../../api/endpoint-types.ts';
import { serverNow } from '../../api/server-clock.ts';
import { WALLET, type GameAccount } from '../../shared/wallet/use-wallet.ts';
import { withdrawReasonText } from '../../shared/withdraw/withdraw-outcome.ts';
import { formatDateTime } from '../../format/date.ts';
import type { Currency } from '@krapao/contract/money';
import { formatAmount } from '../../format/number.ts';
import { Amount } from '../../ui/text/amount.tsx';
import type { Icon } from '../../ui/icons/icon.tsx';
import { TicketIcon } from '../../ui/icons/game-icons.tsx';
import {
  BankIcon,
  BonusIcon,
  ConditionsIcon,
  InviteIcon,
  QrIcon,
  RefundIcon,
  SpinIcon,
  TransferIcon,
  WithdrawIcon,
} from '../../ui/icons/member-icons.tsx';
import { PhoneIcon } from '../../ui/icons/shell-icons.tsx';
import { RelativeTime } from '../../ui/text/relative-time.tsx';
import { StatusBadge } from '../../ui/text/status-badge.tsx';
import { type Given, givenBy } from './given.ts';
import { bankOf, type Place, placeOf } from './place.ts';

type Entry = Reply<'POST /api/statement'>['statements'][number];

/** By the type of the movement; deposits also by where they came from, money that was given by what for. */
const icons: Record<'withdraw' | 'transfer' | 'finish_bonus' | Given | Place['kind'], Icon> = {
  withdraw: WithdrawIcon,
  transfer: TransferIcon,
  finish_bonus: ConditionsIcon,
  bonus: BonusIcon,
  promotion: TicketIcon,
  invite: InviteIcon,
  refund: RefundIcon,
  luckydraw: SpinIcon,
  bank: BankIcon,
  walletApp: PhoneIcon,
  other: QrIcon,
};

function kindOf(entry: Entry): keyof typeof icons {
  const { statementType, from } = entry;
  if (statementType === 'deposit') return placeOf(from).kind;
  return statementType === 'bonus' ? givenBy(entry).kind : statementType;
}

export type StatementRowProps = {
  entry: Entry;
  /** For the names of games. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  currency: Currency | undefined;
};

/** A movement in two lines: activity and amount, time and status. A description or failure adds a line. */
export function StatementRow({ entry, games, currency = 'BAHT' }: StatementRowProps) {
  const { t } = useTranslation('statement');
  const TypeIcon = icons[kindOf(entry)];
  const activityOf = useActivity(games);
  const hasFailed = entry.status === 'FAILED';
  const { kind, description } = givenBy(entry);
  return (
    <li className="flex items-start gap-2 border-b border-line px-1 py-2.5 last:border-b-0 sm:gap-3 sm:px-2">
      <span className="flex size-8 shrink-0 items-center justify-center rounded-full bg-raised text-gold ring-1 ring-line sm:size-11">
        <TypeIcon />
      </span>
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-baseline justify-end gap-x-3">
          <p className="min-w-0 grow basis-36 text-sm font-medium break-words sm:text-base">{activityOf(entry)}</p>
          <Amount value={entry.amount} currency={currency} signed className="font-semibold" />
        </div>
        <div className="flex flex-wrap items-center justify-end gap-x-1.5 gap-y-1">
          <p className="flex grow flex-wrap gap-x-1.5 text-xs text-muted sm:text-sm">
            <span className="whitespace-nowrap tabular-nums">{formatDateTime(entry.createdAt)}</span>
            <RelativeTime at={entry.createdAt} now={serverNow} className="whitespace-nowrap" />
          </p>
          <StatusBadge status={entry.status} />
        </div>
        {description && (
          <p className="text-sm break-words">
            {kind === 'invite' ? t('inviteeShare', { percent: description }) : description}
          </p>
        )}
        {hasFailed && (
          <p className="text-sm text-muted">{t('returned', { amount: formatAmount(entry.requested, { currency }) })}</p>
        )}
        {hasFailed && entry.statementType === 'withdraw' && (
          <p className="text-sm text-coral">{t('withdrawFailed', { reason: withdrawReasonText(entry.reason) })}</p>
        )}
      </div>
    </li>
  );
}

/** What a movement was, in words. */
function useActivity(games: StatementRowProps['games']) {
  const { t } = useTranslation('statement');
  const name = (account: string): string =>
    account === WALLET ? t('wallet') : (games.find((game) => game.code === account)?.name ?? account);
  return (entry: Entry): string => {
    const { statementType, from, to } = entry;
    if (statementType === 'withdraw') {
      const bank = bankOf(to);
      return bank ? t('withdraw', { to: bank }) : t('withdrawPlain');
    }
    if (statementType === 'transfer') return t('transfer', { from: name(from), to: name(to) });
    if (statementType !== 'deposit') {
      const { kind } = givenBy(entry);
      if (entry.end === 'EXPIRED') return t(`expired.${kind}`);
      if (entry.end === 'CANCELLED' && (kind === 'bonus' || kind === 'promotion')) return t(`cancelled.${kind}`);
      return t(`${statementType}.${kind}`);
    }
    const place = placeOf(from);
    if (place.kind === 'bank') return place.bank ? t('depositBank', { bank: place.bank }) : t('depositBankPlain');
    if (place.kind === 'walletApp') return t('depositWalletApp');
    return t('deposit', { from: name(from) });
  };
}
