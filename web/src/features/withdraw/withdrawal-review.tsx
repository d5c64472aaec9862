import { toWire } from '@krapao/contract/money';
import { maskedAccount } from '@krapao/contract/rules';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import { bankName } from '../../format/text.ts';
import { fromWire } from '../../member/amounts.ts';
import { useMoney } from '../../member/money.ts';
import type { BankAccount } from './withdrawal-pending.tsx';

/** Money of a game, in wire format. */
export type GameMoney = { code: string; name: string; amount: number };

/** Withdrawable money in wire format: all of it, the share that is in games, and these games. */
export type Sources = { total: number; inGames: number; games: readonly GameMoney[] };

export type WithdrawalReviewProps = {
  /** Valid amount in wire format. */
  amount: number;
  account: BankAccount;
  sources: Sources;
};

/** What a press of the submit button does: the amount, its account, where the money comes from, and the usual time. */
export function WithdrawalReview({ amount, account, sources }: WithdrawalReviewProps) {
  const { t } = useTranslation('withdraw');
  const { format } = useMoney();
  const usualTime = useUsualTime();
  const { fromWallet, fromGames, remaining } = splitWithdrawal(amount, sources);
  return (
    <section aria-label={t('review.title')} className="rounded-md bg-well px-4 py-3 text-sm ring-1 ring-line">
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 font-semibold">
        {t('review.title')} <span className="amount text-lg text-gold-lit">{format(amount)}</span>
      </h3>
      <dl className="mt-1 grid gap-1">
        <ReviewRow
          name={t('review.account')}
          value={`${bankName(account.bank)} ${maskedAccount(account.bankAccountNo)}`}
        />
        <ReviewRow name={t('review.fromWallet')} value={format(fromWallet)} />
        {fromGames > 0 && (
          <ReviewRow
            name={t('review.fromGames')}
            value={format(fromGames)}
            note={gamesOfWithdrawal(fromGames, sources.games)
              .map((game) => `${game.name} ${format(game.amount)}`)
              .join(' · ')}
          />
        )}
        <ReviewRow name={t('review.remaining')} value={format(remaining)} />
      </dl>
      <p className="mt-2 text-muted">{usualTime ? `${usualTime} · ${t('review.arrival')}` : t('review.arrival')}</p>
    </section>
  );
}

function ReviewRow({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-3">
      <dt className="min-w-0 text-muted">
        {name}
        {note && <span className="block text-xs tabular-nums">{note}</span>}
      </dt>
      <dd className="min-w-0 grow text-right tabular-nums">{value}</dd>
    </div>
  );
}

const MINUTE_SECONDS = 60;

/** Usual time of a payout to the member's bank; undefined while too few payouts are known. */
export function useUsualTime(): string | undefined {
  const { t } = useTranslation('withdraw');
  const { data } = useQuery(apiQuery('GET /api/withdraw/advice', { quiet: true }));
  const seconds = data?.medianSeconds ?? null;
  if (seconds === null) return undefined;
  return seconds < MINUTE_SECONDS
    ? t('review.usualSeconds', { seconds })
    : t('review.usualMinutes', { minutes: Math.ceil(seconds / MINUTE_SECONDS) });
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

/** The games that the server takes an amount from, largest balance first, and how much from each. */
export function gamesOfWithdrawal(amount: number, games: readonly GameMoney[]): GameMoney[] {
  let missing = fromWire(amount) ?? 0n;
  return games
    .toSorted((one, other) => other.amount - one.amount)
    .flatMap((game) => {
      const balance = fromWire(game.amount) ?? 0n;
      const taken = balance < missing ? balance : missing;
      missing -= taken;
      return taken > 0n ? [{ ...game, amount: toWire(taken) }] : [];
    });
}
