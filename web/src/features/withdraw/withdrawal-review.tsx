import { toWire } from '@krapao/contract/money';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { bankName, formatAccountNumber } from '../../format/text.ts';
import { fromWire } from '../../member/amounts.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { TimeAndFee } from '../../shared/time-and-fee.tsx';
import { Button } from '../../ui/core/button.tsx';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { ModalActions } from '../../ui/modal.tsx';
import { type BankAccount, useUsualPayout } from './withdrawal-pending.tsx';

/** Money of a game, in wire format. */
export type GameMoney = { code: string; name: string; amount: number };

/** Withdrawable money in wire format: all of it, the share that is in games, and these games. */
export type Sources = { total: number; inGames: number; games: readonly GameMoney[] };

/** What the member confirms: a valid amount in wire format, and where the money comes from. */
export type Reviewed = { amount: number; sources: Sources };

export type WithdrawalReviewProps = {
  reviewed: Reviewed;
  account: BankAccount;
  /** Whether the amounts changed since the review was shown, so that it is shown again. */
  hasChanged: boolean;
  isSending: boolean;
  onConfirm: () => void;
  onBack: () => void;
};

/** The last step before a withdrawal is sent: the amount, its account, where the money comes from, the usual time and the fee. */
export function WithdrawalReview({
  reviewed: { amount, sources },
  account,
  hasChanged,
  isSending,
  onConfirm,
  onBack,
}: WithdrawalReviewProps) {
  const { t } = useTranslation('withdraw');
  const { format } = useCurrency();
  const usual = useUsualPayout();
  const heading = useRef<HTMLHeadingElement>(null);
  const { fromWallet, fromGames, remaining } = splitWithdrawal(amount, sources);
  useEffect(() => heading.current?.focus(), [amount, sources]);
  useBack(isSending ? doNothing : onBack);
  return (
    <>
      <section aria-label={t('review.title')} className="grid gap-4">
        <div>
          <h3 ref={heading} tabIndex={-1} className="outline-none">
            <span className="block text-muted">{t('review.title')}</span>
            <span className="amount block text-2xl font-bold text-gold-lit">{format(amount)}</span>
          </h3>
          <TimeAndFee usual={usual} className="mt-1 text-muted" />
        </div>
        <p role="alert" className={hasChanged ? 'rounded-md bg-amber-deep px-4 py-3 text-sm text-amber' : 'sr-only'}>
          {hasChanged && t('review.changed')}
        </p>
        <dl className="grid gap-2 rounded-md bg-well px-4 py-3 ring-1 ring-line">
          <ReviewRow
            name={t('review.account')}
            value={
              <>
                <span className="block wrap-anywhere">{account.bankAccountName}</span> {bankName(account.bank)}{' '}
                {formatAccountNumber(account.bankAccountNo)}
              </>
            }
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
        <p className="text-sm text-muted">{t('review.arrival')}</p>
      </section>
      <ModalActions>
        <Button variant="primary" busy={isSending && t('submitting')} onClick={onConfirm}>
          {t('review.confirm')}
        </Button>
        <Button variant="quiet" disabled={isSending} onClick={onBack}>
          {t('review.back')}
        </Button>
      </ModalActions>
    </>
  );
}

const doNothing = (): void => undefined;

function ReviewRow({ name, value, note }: { name: string; value: ReactNode; note?: string }) {
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

/** Whether a withdrawal takes the same money of wallet and games, and leaves the same. */
export const isSameSplit = (amount: number, first: Sources, second: Sources): boolean =>
  JSON.stringify(shownAmounts(amount, first)) === JSON.stringify(shownAmounts(amount, second));

function shownAmounts(amount: number, sources: Sources) {
  const split = splitWithdrawal(amount, sources);
  return [split, gamesOfWithdrawal(split.fromGames, sources.games).map(({ code, amount: taken }) => [code, taken])];
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
