import { toWire } from '@krapao/contract/money';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { apiQuery } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { readAmount } from '../../format/typed-amount.ts';
import { fromWire } from '../../member/amounts.ts';
import { useCurrency } from '../../member/use-currency.ts';
import type { Wallet } from '../../member/wallet.ts';
import { prefetch } from '../../routing/router.ts';
import { type OpenCondition, withMissing, ConditionProgress, useSiteNotice } from '../../shared/incentive.tsx';
import { TimeAndFee } from '../../shared/time-and-fee.tsx';
import { AmountInput, quickAmountsWithin } from '../../ui/amount-input.tsx';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { InfoIcon } from '../../ui/core/icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { type BankAccount, DestinationAccount, useUsualPayout } from './withdrawal-pending.tsx';
import type { GameMoney } from './withdrawal-review.tsx';

export type WithdrawFormProps = {
  account: BankAccount;
  limits: Limits;
  withdrawable: WithdrawableBalance;
  /** Typed amount without separators. */
  typedAmount: string;
  onType: (typed: string) => void;
  /** Called with a valid amount. */
  onReview: (amount: number) => void;
};

/** Form with amount, target account and conditions. An open condition comes first and disables the form. */
export function WithdrawForm({ account, limits, withdrawable, typedAmount, onType, onReview }: WithdrawFormProps) {
  const { t } = useTranslation('withdraw');
  const money = useCurrency();
  const usual = useUsualPayout();
  const isBlocked = useConditions().conditions.length > 0;
  const [withdrawalError, setWithdrawalError] = useState<WithdrawalError>();
  const amount = readAmount(typedAmount, money.bankAmountField);
  const shownError = typedAmount === '' ? withdrawalError : validateWithdrawal(amount, limits, withdrawable);
  const maximum = Math.min(withdrawable.total, limits.withdrawMax);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBlocked) return;
    const firstError = validateWithdrawal(amount, limits, withdrawable);
    setWithdrawalError(firstError);
    if (!firstError) onReview(amount);
  };
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      {isBlocked && <WithdrawSiteNotice />}
      <AmountInput
        label={t('amount')}
        value={typedAmount}
        onChange={(newAmount) => {
          setWithdrawalError(undefined);
          onType(newAmount);
        }}
        {...money.bankAmountField}
        disabled={isBlocked}
        hint={t('limits', { minimum: money.format(limits.withdrawMin), maximum: money.format(limits.withdrawMax) })}
        error={!isBlocked && shownError ? t(shownError.kind, { amount: money.format(shownError.amount) }) : undefined}
        allButton={{ label: t('all'), amount: maximum }}
        quickAmounts={
          isBlocked ? undefined : quickAmountsWithin(money.currency, { minimum: limits.withdrawMin, maximum })
        }
      />
      {!isBlocked && (
        <div className="-mt-2 grid gap-1 text-sm">
          <p className="font-semibold text-gold-lit">{t('available', { amount: money.format(withdrawable.total) })}</p>
          {withdrawable.inGames > 0 && (
            <p className="text-muted">{t('sweepsToWallet', { amount: money.format(withdrawable.inGames) })}</p>
          )}
          <TimeAndFee usual={usual} />
        </div>
      )}
      <DestinationAccount account={account} />
      {!isBlocked && <WithdrawSiteNotice />}
      <ModalActions>
        <Button type="submit" wide disabled={isBlocked}>
          {t('submit')}
        </Button>
      </ModalActions>
    </form>
  );
}

/** Open conditions, which come first, and the notice about bonuses by the operator (else a default text). */
export function WithdrawSiteNotice() {
  const { t } = useTranslation('withdraw');
  const { conditions, isLoading } = useConditions();
  const openBonus = conditions.find(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  const text = useSiteNotice(openBonus?.percentFail);
  if (text === undefined || isLoading) return <Skeleton className="h-24 w-full" />;
  const isBlocked = conditions.length > 0;
  return (
    <section
      aria-label={t('conditions')}
      className={`flex items-start gap-3 rounded-md px-4 py-3 text-sm ${isBlocked ? 'bg-well ring-1 ring-amber/50' : 'bg-raised'}`}
    >
      <InfoIcon className={`mt-0.5 size-5 shrink-0 ${isBlocked ? 'text-amber' : 'text-gold'}`} />
      <div className="min-w-0 grow">
        {isBlocked ? (
          <p className="font-semibold text-amber">{t('notYet')}</p>
        ) : (
          <h3 className="font-semibold text-gold-lit">{t('conditions')}</h3>
        )}
        <OpenConditions conditions={conditions} />
        <p className={`text-muted ${isBlocked ? 'mt-3' : ''}`}>{text || t('noNotice')}</p>
      </div>
    </section>
  );
}

const BONUS_PAGE = '/user/bonus';

/** Conditions that block a withdrawal: what each still requires, with a link to the bonus page. */
export function OpenConditions({ conditions }: { conditions: readonly OpenCondition[] }) {
  const { t } = useTranslation('withdraw');
  const { currency } = useCurrency();
  if (conditions.length === 0) return null;
  return (
    <div className="mt-2 grid gap-4">
      {conditions.map((condition) => (
        <ConditionProgress
          key={`${condition.kind} ${condition.startedAt}`}
          condition={withMissing(condition)}
          currency={currency}
          withName
          isOneOfSeveral={conditions.length > 1}
        />
      ))}
      <Link
        href={BONUS_PAGE}
        className={buttonClass('quiet', 'sm')}
        onPointerEnter={() => prefetch(BONUS_PAGE)}
        onFocus={() => prefetch(BONUS_PAGE)}
      >
        {t('toBonuses')}
      </Link>
    </div>
  );
}

/** Open conditions that block withdrawals. Empty if they can't be loaded, because the server enforces them anyway. */
export function useConditions(): { conditions: readonly OpenCondition[]; isLoading: boolean } {
  const { data, isLoading } = useQuery(apiQuery('GET /api/bonus/check/active', { quiet: true }));
  return { conditions: data?.conditions ?? [], isLoading };
}

export type Limits = Reply<'GET /api/lookup/withdraw'>;

/** Why a withdrawal is invalid: a phrase key and the amount in its text. */
export type WithdrawalError = { kind: 'minimumAmount' | 'maximumAmount' | 'notEnough'; amount: number };

/** First error of a withdrawal amount. */
export function validateWithdrawal(
  amount: number,
  limits: Limits,
  withdrawable: WithdrawableBalance,
): WithdrawalError | undefined {
  if (amount < limits.withdrawMin) return { kind: 'minimumAmount', amount: limits.withdrawMin };
  if (amount > limits.withdrawMax) return { kind: 'maximumAmount', amount: limits.withdrawMax };
  if (amount > withdrawable.total && !withdrawable.isUncertain)
    return { kind: 'notEnough', amount: withdrawable.total };
  return undefined;
}

/** Withdrawable amount in wire format: the wallet, and games whose money can be moved to the wallet now. */
export type WithdrawableBalance = {
  total: number;
  inGames: number;
  /** The games of `inGames`. */
  games: readonly GameMoney[];
  /** Whether a balance is stale or pending; then only the server knows the exact total. */
  isUncertain: boolean;
};

export function withdrawableBalance(wallet: Wallet): WithdrawableBalance {
  const games = wallet.slots.filter((game) => game.canMoveOut);
  const inGames = games.reduce((sum, { amount }) => sum + (fromWire(amount) ?? 0n), 0n);
  return {
    total: toWire((fromWire(wallet.wallet.amount) ?? 0n) + inGames),
    inGames: toWire(inGames),
    games,
    isUncertain: wallet.slots.some((game) => game.isActive && (game.isStale || game.inProgress !== null)),
  };
}
