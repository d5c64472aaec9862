import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { useCommand } from '../../api/query/command.ts';
import type { Reply } from '../../api/types.ts';
import { formatDate } from '../../format/date.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { memberMoneyText } from '../../shared/balance-display.tsx';
import { ConditionTerms } from '../../shared/incentive.tsx';
import { messageText, refusalText } from '../../shared/refusal-text.ts';
import { Amount } from '../../ui/amount.tsx';
import { RefundArt } from '../../ui/art/refund-art.tsx';
import { buttonClass } from '../../ui/core/button.tsx';
import { InfoIcon, WarningIcon } from '../../ui/core/icons.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';

/** Id of the text that explains the disabled button. */
export const REASON_ID = 'refund-reason';

/** The available refund and its conditions, or an empty state. */
export function RefundOffer({ refund }: { refund: Reply<'GET /api/refund/check'> }) {
  const { t } = useTranslation('refund');
  const { currency } = useCurrency();
  const { refundAmount, refundSuccess, refundFail } = refund;
  const isRefundAvailable = refund.result || refund.unfinished;
  return (
    <>
      {isRefundAvailable ? (
        <section
          aria-labelledby="refund-amount"
          className="night plaque relative isolate overflow-hidden rounded-lg p-5 shadow-high ring-1 ring-gold/40"
        >
          <h3 id="refund-amount" className="text-sm font-medium text-gold-lit">
            {t('yours')}
          </h3>
          <p className="text-2xl font-bold">
            <Amount value={refundAmount} currency={currency} withSign />
          </p>
          <p className="text-sm text-ivory/85">
            <RefundPeriod from={refund.periodFrom} to={refund.periodTo} />
          </p>
        </section>
      ) : (
        <EmptyState art={<RefundArt />} title={t('none')} text={t('hint')} />
      )}
      {refund.unfinished && (
        <DisabledReason icon={<WarningIcon className="mt-0.5 size-5 shrink-0" />} title={t('unfinished')}>
          {t('unfinishedHint')}
        </DisabledReason>
      )}
      {refund.result && refund.bonus && <BlockedNote reason={refund.blockedBy ?? 'BONUS_ACTIVE'} />}
      <section aria-labelledby="refund-terms">
        <h3 id="refund-terms" className="mb-1 font-semibold">
          {t('terms')}
        </h3>
        <ConditionTerms
          amount={isRefundAvailable ? refundAmount : 0}
          percentSuccess={refundSuccess}
          percentFail={refundFail}
          currency={currency}
          withPercentages
        />
      </section>
    </>
  );
}

/**
 * Note that a bonus blocks the refund: an active bonus has to be cancelled; a bonus used in the period can't be undone.
 */
function BlockedNote({ reason }: { reason: 'BONUS_ACTIVE' | 'BONUS_USED' }) {
  const { t } = useTranslation('refund');
  return (
    <DisabledReason icon={<InfoIcon className="mt-0.5 size-5 shrink-0" />} title={t(`blocked.${reason}`)}>
      {t(`blockedHint.${reason}`)}
      {reason === 'BONUS_ACTIVE' && (
        <Link href="/user/bonus" className={`${buttonClass('plain', 'sm')} -mb-2 -ml-4`}>
          {t('toBonus')}
        </Link>
      )}
    </DisabledReason>
  );
}

/** First and last day of the period; `to` is exclusive. */
function RefundPeriod({ from, to }: { from: string; to: string }) {
  const { t } = useTranslation('refund');
  const [firstDay, lastDay] = [formatDate(from), formatDate(Date.parse(to) - 1)];
  return firstDay === lastDay ? t('ofDay', { day: firstDay }) : t('ofDays', { first: firstDay, last: lastDay });
}

function DisabledReason({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div
      id={REASON_ID}
      className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm ring-1 ring-amber/40"
    >
      <span className="text-amber">{icon}</span>
      <div className="min-w-0">
        <p className="font-semibold text-amber">{title}</p>
        <div className="flex flex-col items-start">{children}</div>
      </div>
    </div>
  );
}

/** Calls that pay a refund: receiving it, or completing an unfinished claim. */
export type RefundClaim = 'GET /api/refund/receive' | 'GET /api/refund/addWallet';

/** Whether the refund is below its minimum. The general text names baht, so members with kip get another text. */
const isBelowMinimum = (failure: unknown): boolean =>
  failure instanceof ApiFailure && failure.message === 'REFUND_MINIMUM';

/**
 * Sends a refund claim, shows the result and reloads the refund. The server pays once for any number of requests.
 * `isSaved`: money was or may have been moved.
 */
export function useReceiveRefund() {
  const { t } = useTranslation('refund');
  const { currency, format } = useCurrency();
  const [isSaved, setSaved] = useState(false);
  const { state, send } = useCommand<RefundClaim, Reply<RefundClaim>>({
    send: (name) => call(name, { quiet: true }),
    invalidates: ['refund'],
    // The button is enabled again only after the refund has been reloaded.
    waitForRefetch: true,
    onResult: (result) => {
      if (result.status !== 'failed') setSaved(true);
      if ('reply' in result) {
        const { message, refundAmount } = result.reply;
        toast.success(messageText(message, 'refund', { amount: memberMoneyText(format(refundAmount)) }));
      } else {
        const { failure } = result;
        toast.danger(isBelowMinimum(failure) && currency === 'LAK' ? t('minimumKip') : refusalText(failure, 'refund'));
      }
    },
  });
  const pendingClaim = state.status === 'sending' ? state.input : undefined;
  const failure = 'failure' in state ? state.failure : undefined;
  return { pendingClaim, isSaved, failure, claim: (name: RefundClaim) => void send(name) };
}
