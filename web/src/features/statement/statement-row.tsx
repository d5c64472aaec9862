import type { Currency } from '@krapao/contract/money';
import {
  activityText,
  type Counterparty,
  counterpartyOf,
  isOwnTransfer,
  type RewardSource,
  rewardSource,
} from '@krapao/contract/statement';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { WALLET, type GameAccount } from '../../member/wallet.ts';
import { withdrawReasonText } from '../../member/withdrawal.ts';
import { openMoney, prefetchMoney } from '../../shared/open-money.ts';
import { Amount } from '../../ui/amount.tsx';
import { type Icon, PhoneIcon } from '../../ui/core/icons.tsx';
import {
  TicketIcon,
  BankIcon,
  BonusIcon,
  ConditionsIcon,
  InviteIcon,
  QrIcon,
  RefundIcon,
  SpinIcon,
  TransferIcon,
  WithdrawIcon,
} from '../../ui/data/member-icons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';

type StatementEntry = Reply<'POST /api/statement'>['statements'][number];

/** Icons by type of entry; for deposits by counterparty, and for rewards by source. */
const entryIcons: Record<'withdraw' | 'transfer' | 'finish_bonus' | RewardSource | Counterparty['kind'], Icon> = {
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

function iconKeyOf(entry: StatementEntry): keyof typeof entryIcons {
  const { statementType, from } = entry;
  if (statementType === 'deposit') return counterpartyOf(from).kind;
  return statementType === 'bonus' ? rewardSource(entry).kind : statementType;
}

export type StatementRowProps = {
  entry: StatementEntry;
  /** Games of the member, used to show their names. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  currency: Currency | undefined;
};

/** On phones it starts below the icon: time, status and balance need the whole width. */
const LOWER_LINE = 'max-sm:col-span-2 sm:col-start-2';

/**
 * A statement entry in two lines: activity and amount, then time, status and balance. A description or a failure adds a line.
 * The whole row opens its timeline.
 */
export function StatementRow({ entry, games, currency = 'BAHT' }: StatementRowProps) {
  const { t } = useTranslation('statement');
  const TypeIcon = entryIcons[iconKeyOf(entry)];
  const activityOf = useActivity(games);
  const hasFailed = entry.status === 'FAILED';
  const { kind, description } = rewardSource(entry);
  const id = useId();
  return (
    <li className="relative grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-2 border-b border-line px-1 py-2 last:border-b-0 sm:gap-x-3 sm:px-2 sm:py-2.5">
      <button
        type="button"
        aria-labelledby={`${id}activity ${id}time`}
        aria-haspopup="dialog"
        onClick={() => void openMoney(`line-${entry._id}`)}
        onPointerEnter={prefetchMoney}
        className="absolute inset-0 rounded-md -outline-offset-2 hover:bg-raised/40"
      />
      <span className="flex size-8 shrink-0 items-center justify-center rounded-full bg-raised text-gold ring-1 ring-line sm:row-span-2 sm:size-11 sm:self-start">
        <TypeIcon />
      </span>
      <div className="flex min-w-0 flex-wrap items-baseline justify-end gap-x-3">
        <p id={`${id}activity`} className="min-w-0 grow basis-36 text-sm font-medium break-words sm:text-base">
          {activityOf(entry)}
        </p>
        {hasFailed ? (
          <p className="flex flex-wrap items-baseline justify-end gap-x-1.5 text-muted">
            <s className="amount font-semibold">{formatAmount(entry.requested, { currency })}</s>
            <span className="text-xs">{t('notMoved')}</span>
          </p>
        ) : (
          <Amount
            value={entry.amount}
            currency={currency}
            signed={isOwnTransfer(entry) ? 'neutral' : true}
            className="font-semibold"
          />
        )}
      </div>
      <div className={`flex flex-wrap items-center justify-end gap-x-1.5 gap-y-1 ${LOWER_LINE}`}>
        <p className="flex grow flex-wrap gap-x-1.5 text-xs text-muted sm:text-sm">
          <span id={`${id}time`} className="whitespace-nowrap tabular-nums">
            {formatDateTime(entry.createdAt)}
          </span>
          <RelativeTime at={entry.createdAt} now={serverNow} className="whitespace-nowrap" />
        </p>
        <StatusBadge status={entry.status} />
        {!hasFailed && <Balance amount={formatAmount(entry.balance, { currency, withSign: true })} />}
      </div>
      {description && (
        <p className={`text-sm break-words ${LOWER_LINE}`}>
          {kind === 'invite' ? t('inviteeShare', { percent: description }) : description}
        </p>
      )}
      {hasFailed && (
        <p className={`text-sm text-muted ${LOWER_LINE}`}>
          {t('returned', { amount: formatAmount(entry.requested, { currency }) })}
        </p>
      )}
      {hasFailed && entry.statementType === 'withdraw' && (
        <p className={`text-sm text-coral ${LOWER_LINE}`}>
          {t('withdrawFailed', { reason: withdrawReasonText(entry.reason) })}
        </p>
      )}
    </li>
  );
}

/** Free money of the wallet after an entry. Phones have no room for its label. */
function Balance({ amount }: { amount: string }) {
  const { t } = useTranslation('statement');
  return (
    <p className="text-xs text-muted tabular-nums sm:text-sm">
      <span className="sr-only sm:not-sr-only">{t('balance', { amount })}</span>
      <span aria-hidden="true" className="sm:hidden">
        {amount}
      </span>
    </p>
  );
}

/** Returns a function for the activity text of an entry. */
function useActivity(games: StatementRowProps['games']) {
  const { t } = useTranslation('statement');
  const accountNameOf = (account: string): string =>
    account === WALLET ? t('wallet') : (games.find((game) => game.code === account)?.name ?? account);
  return (entry: StatementEntry): string => {
    const { key, values } = activityText(entry, accountNameOf);
    // The key and its values belong together, which the types of a union of keys do not show.
    return t(key as 'deposit', values as { from: string });
  };
}
