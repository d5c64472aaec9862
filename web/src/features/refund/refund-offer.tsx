import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Reply } from '../../api/types.ts';
import { useMoney } from '../../member/money.ts';
import { formatDate } from '../../format/date.ts';
import { Amount } from '../../ui/amount.tsx';
import { RefundArt } from '../../ui/art/refund-art.tsx';
import { buttonClass } from '../../ui/core/button.tsx';
import { ConditionTerms } from '../../shared/incentive.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { InfoIcon, WarningIcon } from '../../ui/core/icons.tsx';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { useCommand } from '../../api/query/command.ts';
import { messageText, refusalText } from '../../shared/refusal-text.ts';
import { toast } from '../../ui/core/toast.tsx';

/** Id of the explanation of a disabled button. */
export const REASON_ID = 'refund-reason';

/** The available refund and its conditions, or an empty state. */
export function RefundOffer({ refund }: { refund: Reply<'GET /api/refund/check'> }) {
  const { t } = useTranslation('refund');
  const { currency } = useMoney();
  const { refundAmount, refundSuccess, refundFail } = refund;
  const isThere = refund.result || refund.unfinished;
  return (
    <>
      {isThere ? (
        <section
          aria-labelledby="refund-amount"
          className="plaque relative isolate overflow-hidden rounded-lg p-5 shadow-high ring-1 ring-gold/40"
        >
          <h3 id="refund-amount" className="text-sm font-medium text-gold-lit">
            {t('yours')}
          </h3>
          <p className="text-2xl font-bold">
            <Amount value={refundAmount} currency={currency} withSign />
          </p>
          <p className="text-sm text-ivory/85">
            <Period from={refund.periodFrom} to={refund.periodTo} />
          </p>
        </section>
      ) : (
        <EmptyState art={<RefundArt />} title={t('none')} text={t('hint')} />
      )}
      {refund.unfinished && (
        <Reason icon={<WarningIcon className="mt-0.5 size-5 shrink-0" />} title={t('unfinished')}>
          {t('unfinishedHint')}
        </Reason>
      )}
      {refund.result && refund.bonus && <Blocked by={refund.blockedBy ?? 'BONUS_ACTIVE'} />}
      <section aria-labelledby="refund-terms">
        <h3 id="refund-terms" className="mb-1 font-semibold">
          {t('terms')}
        </h3>
        <ConditionTerms
          amount={isThere ? refundAmount : 0}
          percentSuccess={refundSuccess}
          percentFail={refundFail}
          currency={currency}
          withPercentages
        />
      </section>
    </>
  );
}

/** Blocked by a bonus: cancel an active one first; one used in the period cannot be undone. */
function Blocked({ by }: { by: 'BONUS_ACTIVE' | 'BONUS_USED' }) {
  const { t } = useTranslation('refund');
  return (
    <Reason icon={<InfoIcon className="mt-0.5 size-5 shrink-0" />} title={t(`blocked.${by}`)}>
      {t(`blockedHint.${by}`)}
      {by === 'BONUS_ACTIVE' && (
        <Link href="/user/bonus" className={`${buttonClass('plain', 'sm')} -mb-2 -ml-4`}>
          {t('toBonus')}
        </Link>
      )}
    </Reason>
  );
}

/** The period by its days; its end is exclusive. */
function Period({ from, to }: { from: string; to: string }) {
  const { t } = useTranslation('refund');
  const [first, last] = [formatDate(from), formatDate(Date.parse(to) - 1)];
  return first === last ? t('ofDay', { day: first }) : t('ofDays', { first, last });
}

function Reason({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
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

/** Receives a refund, or completes a claim with a pending credit. */
export type RefundClaim = 'GET /api/refund/receive' | 'GET /api/refund/addWallet';

/** The catalogue names baht, which members with kip never see. */
const isBelow = (failure: unknown): boolean => failure instanceof ApiFailure && failure.message === 'REFUND_MINIMUM';

/**
 * Sends a claim, shows the result and reloads the refund; the server pays once for any number of requests. `isSaved`:
 * money has moved, or may have.
 */
export function useReceiveRefund() {
  const { t } = useTranslation('refund');
  const { currency, text } = useMoney();
  const [isSaved, setSaved] = useState(false);
  const { state, send } = useCommand<RefundClaim, Reply<RefundClaim>>({
    send: (name) => call(name, { quiet: true }),
    invalidates: ['refund'],
    // The button returns only after the new state has loaded.
    waitForRefetch: true,
    onResult: (result) => {
      if (result.status !== 'failed') setSaved(true);
      if ('reply' in result) {
        const { message, refundAmount } = result.reply;
        toast.success(messageText(message, 'refund', { amount: text(refundAmount) }));
      } else {
        const { failure } = result;
        toast.danger(isBelow(failure) && currency === 'LAK' ? t('minimumKip') : refusalText(failure, 'refund'));
      }
    },
  });
  const underWay = state.status === 'sending' ? state.input : undefined;
  return { underWay, isSaved, claim: (name: RefundClaim) => void send(name) };
}
