import { toWire } from '@krapao/contract/money';
import { maskedAccount } from '@krapao/contract/rules';
import { useTranslation } from 'react-i18next';
import { bankName } from '../../format/text.ts';
import { fromWire } from '../../member/amounts.ts';
import { useMoney } from '../../member/money.ts';
import type { BankAccount } from './withdrawal-pending.tsx';

/** Withdrawable money in wire format: all of it, and the share that is in games. */
export type Sources = { total: number; inGames: number };

export type WithdrawalReviewProps = {
  /** Valid amount in wire format. */
  amount: number;
  account: BankAccount;
  sources: Sources;
};

/** What a press of the submit button does: the amount, its account, and the money it takes from wallet and games. */
export function WithdrawalReview({ amount, account, sources }: WithdrawalReviewProps) {
  const { t } = useTranslation('withdraw');
  const { format } = useMoney();
  const { fromWallet, fromGames, remaining } = splitWithdrawal(amount, sources);
  const rows: [name: string, value: string][] = [
    [t('review.account'), `${bankName(account.bank)} ${maskedAccount(account.bankAccountNo)}`],
    [t('review.fromWallet'), format(fromWallet)],
  ];
  if (fromGames > 0) rows.push([t('review.fromGames'), format(fromGames)]);
  rows.push([t('review.remaining'), format(remaining)]);
  return (
    <section aria-label={t('review.title')} className="rounded-md bg-well px-4 py-3 text-sm ring-1 ring-line">
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 font-semibold">
        {t('review.title')} <span className="amount text-lg text-gold-lit">{format(amount)}</span>
      </h3>
      <dl className="mt-1 grid gap-1">
        {rows.map(([name, value]) => (
          <div key={name} className="flex flex-wrap justify-between gap-x-3">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-muted">{t('review.arrival')}</p>
    </section>
  );
}

/** Where the money of a withdrawal comes from: the wallet first, then games; and what the member keeps. */
export function splitWithdrawal(
  amount: number,
  { total, inGames }: Sources,
): { fromWallet: number; fromGames: number; remaining: number } {
  const [requested, all, games] = [amount, total, inGames].map((value) => fromWire(value) ?? 0n) as [
    bigint,
    bigint,
    bigint,
  ];
  const wallet = all - games;
  const fromWallet = requested < wallet ? requested : wallet;
  const remaining = all - requested;
  return {
    fromWallet: toWire(fromWallet),
    fromGames: toWire(requested - fromWallet),
    remaining: toWire(remaining > 0n ? remaining : 0n),
  };
}
