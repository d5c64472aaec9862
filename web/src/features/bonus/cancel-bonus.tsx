import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { ApiFailure, isUndecided } from '../../api/errors.ts';
import { invalidate } from '../../api/query/query.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { memberMoneyText } from '../../shared/balance-display.tsx';
import { messageText, refusalText, withDetail } from '../../shared/refusal-text.ts';
import { toast } from '../../ui/core/toast.tsx';
import { Popup } from '../../ui/popup.tsx';
import type { ActiveStatus } from './active-bonus.tsx';

export type CancelBonusProps = {
  /** Display name of the condition. */
  name: string;
  ifCleared: ActiveStatus['ifCleared'];
  /** Reference of the condition; undefined for the active bonus or promotion. */
  reference?: string | undefined;
  /** Reference of the active bonus or promotion, for a question to support. */
  activeReference?: string | undefined;
  onClose: () => void;
};

/**
 * Confirmation of cancelling a condition, with the amounts taken and kept. Cancels the condition and shows the outcome.
 */
export function CancelBonus({ name, ifCleared, reference, activeReference, onClose }: CancelBonusProps) {
  const { t } = useTranslation('bonus');
  const phraseSection = reference === undefined ? 'cancel' : 'giveBack';
  const { format } = useCurrency();
  const cancellation = useMutation({
    mutationFn: () =>
      reference === undefined ? call('GET /api/bonus/clear') : call('POST /api/bonus/clear', { body: { reference } }),
    onSuccess: ({ message, takenBack, kept }) => {
      const amounts = { takenBack: memberMoneyText(format(takenBack)), kept: memberMoneyText(format(kept)) };
      toast.success(
        phraseSection === 'giveBack' ? t('giveBack.done', amounts) : messageText(message, 'bonus', amounts),
      );
      onClose();
    },
    onSettled: () => void invalidate('bonus', 'refund', 'wallet', 'statement'),
  });
  if (cancellation.isError)
    return (
      <Popup
        open
        tone="danger"
        title={t(`${phraseSection}.failed`)}
        onClose={onClose}
        message={
          <>
            <p>
              {hasEnded(cancellation.error)
                ? withDetail(cancellation.error, t(`${phraseSection}.over`))
                : refusalText(cancellation.error, 'bonus')}
            </p>
            {!hasEnded(cancellation.error) && (
              <p className="mt-2 text-sm text-muted">
                {t(isUndecided(cancellation.error) ? `${phraseSection}.undecided` : `${phraseSection}.failedMoney`)}
              </p>
            )}
            <AskSupport kind="bonus" reference={reference ?? activeReference} failure={cancellation.error} />
          </>
        }
      />
    );
  return (
    <Popup
      open
      tone="info"
      title={t(`${phraseSection}.title`)}
      onClose={onClose}
      confirm={{
        label: t(`${phraseSection}.confirm`),
        onConfirm: () => cancellation.mutate(),
        busy: cancellation.isPending && t(`${phraseSection}.busy`),
        danger: true,
        leave: t(`${phraseSection}.leave`),
      }}
      message={
        <>
          <p className="mb-3 font-semibold">{name}</p>
          {ifCleared && (
            <dl className="mb-3 grid gap-2">
              <Consequence
                name={t(`${phraseSection}.takesBack`)}
                value={format(ifCleared.takesBack)}
                tone="text-coral"
              />
              <Consequence name={t(`${phraseSection}.keeps`)} value={format(ifCleared.keeps)} tone="text-jade" />
            </dl>
          )}
          <p className="text-sm text-muted">{t(`${phraseSection}.why`)}</p>
        </>
      }
    />
  );
}

/** Whether the condition was met or lost just before, so that there is nothing to cancel. */
const hasEnded = (failure: unknown): boolean => failure instanceof ApiFailure && failure.message === 'NO_DATA';

function Consequence({ name, value, tone }: { name: string; value: string; tone: string }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt className="text-sm">{name}</dt>
      <dd className={`amount text-lg font-bold ${tone}`}>{value}</dd>
    </div>
  );
}
