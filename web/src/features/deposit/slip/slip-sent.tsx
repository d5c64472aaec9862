import { useTranslation } from 'react-i18next';
import { usePaged } from '../../../api/use-paged.ts';
import { Button } from '../../../ui/button.tsx';
import { ClockIcon } from '../../../ui/icons/member-icons.tsx';
import { CheckIcon, CloseIcon } from '../../../ui/icons/shell-icons.tsx';
import { ModalActions } from '../../../ui/overlay/modal.tsx';

/** How often the slip is asked about until its outcome is final, in ms. */
const LOOK_AGAIN_MS = 3_000;

const MARKS = {
  received: { icon: CheckIcon, look: 'bg-jade-deep text-jade ring-jade/50' },
  credited: { icon: CheckIcon, look: 'bg-jade-deep text-jade ring-jade/50' },
  review: { icon: ClockIcon, look: 'bg-amber-deep text-amber ring-amber/50' },
  failed: { icon: CloseIcon, look: 'bg-coral-deep text-coral ring-coral/50' },
} as const;

export type SlipSentProps = { reference: string; onSlips: () => void; onAgain: () => void };

/** The slip was received: its outcome as soon as it is known, and where to see it. */
export function SlipSent({ reference, onSlips, onAgain }: SlipSentProps) {
  const { t } = useTranslation(['deposit', 'statement']);
  const slip = useSlip(reference);
  const outcome = outcomeOf(slip);
  const { icon: Icon, look } = MARKS[outcome];
  const words = {
    received: [t('slipSent'), t('slipSentHint')],
    credited: [t('slipCredited'), t('slipCreditedHint')],
    review: [t('slipReview'), t('slipReviewHint')],
    failed: [t('slipFailed'), slip?.note ? t(`statement:slips.reason.${slip.note}`) : ''],
  }[outcome];
  return (
    <div className="flex grow flex-col">
      <div
        role="status"
        data-outcome={outcome}
        className="grid grow content-start justify-items-center gap-2 py-6 text-center"
      >
        <span className={`flex size-14 items-center justify-center rounded-full ring-1 ${look}`}>
          <Icon className="size-7" />
        </span>
        <p className="text-lg font-semibold">{words[0]}</p>
        <p className="max-w-sm text-sm text-balance text-muted">{words[1]}</p>
      </div>
      <ModalActions>
        <Button onClick={onSlips}>{t('seeSlips')}</Button>
        <Button variant="quiet" onClick={onAgain}>
          {t('slipAnother')}
        </Button>
      </ModalActions>
    </div>
  );
}

/** The slip as the list of slips has it. */
function useSlip(reference: string) {
  const { data } = usePaged('POST /api/statement/slip', {
    quiet: true,
    againMs: ({ slips }) => {
      const status = slips.find((slip) => slip.reference === reference)?.status;
      return status !== 'FAILED' && status !== 'SUCCESS' && LOOK_AGAIN_MS;
    },
  });
  return data?.slips.find((slip) => slip.reference === reference);
}

function outcomeOf(slip: ReturnType<typeof useSlip>): keyof typeof MARKS {
  if (slip?.status === 'FAILED') return 'failed';
  if (slip?.status === 'SUCCESS') return 'credited';
  return slip?.underReview ? 'review' : 'received';
}
