import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { ApiFailure, isUndecided } from '../../api/errors.ts';
import { invalidate } from '../../api/query/query.ts';
import { messageText, refusalText, withDetail } from '../../shared/refusal-text.ts';
import { useMoney } from '../../member/money.ts';
import { Popup } from '../../ui/popup.tsx';
import { toast } from '../../ui/core/toast.tsx';
import type { ActiveStatus } from './active-bonus.tsx';

export type CancelBonusProps = {
  /** Displayed name of the condition. */
  name: string;
  ifCleared: ActiveStatus['ifCleared'];
  /** Set for conditions other than the active bonus or promotion. */
  reference?: string | undefined;
  onClose: () => void;
};

/** Confirms cancelling a condition, with the amounts taken and kept; then cancels it and shows the outcome. */
export function CancelBonus({ name, ifCleared, reference, onClose }: CancelBonusProps) {
  const { t } = useTranslation('bonus');
  const words = reference === undefined ? 'cancel' : 'giveBack';
  const { text } = useMoney();
  const clear = useMutation({
    mutationFn: () =>
      reference === undefined ? call('GET /api/bonus/clear') : call('POST /api/bonus/clear', { body: { reference } }),
    onSuccess: ({ message, takenBack, kept }) => {
      const amounts = { takenBack: text(takenBack), kept: text(kept) };
      toast.success(words === 'giveBack' ? t('giveBack.done', amounts) : messageText(message, 'bonus', amounts));
      onClose();
    },
    onSettled: () => void invalidate('bonus', 'refund', 'wallet', 'statement'),
  });
  if (clear.isError)
    return (
      <Popup
        open
        tone="danger"
        title={t(`${words}.failed`)}
        onClose={onClose}
        message={
          <>
            <p>
              {hasEnded(clear.error) ? withDetail(clear.error, t(`${words}.over`)) : refusalText(clear.error, 'bonus')}
            </p>
            {!hasEnded(clear.error) && (
              <p className="mt-2 text-sm text-muted">
                {t(isUndecided(clear.error) ? `${words}.undecided` : `${words}.failedMoney`)}
              </p>
            )}
          </>
        }
      />
    );
  return (
    <Popup
      open
      tone="info"
      title={t(`${words}.title`)}
      onClose={onClose}
      confirm={{
        label: t(`${words}.confirm`),
        onConfirm: () => clear.mutate(),
        busy: clear.isPending && t(`${words}.busy`),
        danger: true,
        leave: t(`${words}.leave`),
      }}
      message={
        <>
          <p className="mb-3 font-semibold">{name}</p>
          {ifCleared && (
            <dl className="mb-3 grid gap-2">
              <Consequence name={t(`${words}.takesBack`)} value={text(ifCleared.takesBack)} tone="text-coral" />
              <Consequence name={t(`${words}.keeps`)} value={text(ifCleared.keeps)} tone="text-jade" />
            </dl>
          )}
          <p className="text-sm text-muted">{t(`${words}.why`)}</p>
        </>
      }
    />
  );
}

/** The condition was met or lost just before: there is nothing to cancel. */
const hasEnded = (failure: unknown): boolean => failure instanceof ApiFailure && failure.message === 'NO_DATA';

function Consequence({ name, value, tone }: { name: string; value: string; tone: string }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt className="text-sm">{name}</dt>
      <dd className={`amount text-lg font-bold ${tone}`}>{value}</dd>
    </div>
  );
}
