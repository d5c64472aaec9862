import { useTranslation } from 'react-i18next';
import { formatDateTime, formatTime } from '../../format/date.ts';
import { CheckIcon, CloseIcon } from '../../ui/core/icons.tsx';
import { ClockIcon } from '../../ui/data/member-icons.tsx';
import type { MoneyItem } from './money-texts.ts';

type Step = MoneyItem['steps'][number];

/** The steps of an item. The first open one has the expected time. */
export function Timeline({ item }: { item: MoneyItem }) {
  const { t } = useTranslation('money');
  const firstOpen = item.steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol aria-label={t('steps')} className="mt-4 grid gap-3">
      {item.steps.map((step, index) => (
        <li key={step.name} data-step={step.name} className="flex items-start gap-3 text-sm">
          <StepMark step={step} hasFailed={item.status === 'FAILED' && index === item.steps.length - 1} />
          <span className="flex min-w-0 grow flex-wrap justify-between gap-x-3 pt-0.5">
            <span className={`grow basis-32 ${step.isDone ? 'font-medium' : 'text-muted'}`}>
              {t(`step.${step.name}`)}
              {!step.isDone && <span className="sr-only">{` (${t('waiting')})`}</span>}
            </span>
            <span className="amount text-muted">
              {step.at ? (
                <time dateTime={step.at}>{formatDateTime(step.at)}</time>
              ) : (
                index === firstOpen && <Expected item={item} />
              )}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** When the open step should happen; a deposit may wait for the member's payment. */
function Expected({ item: { expectedBy, steps, isLate } }: { item: MoneyItem }) {
  const { t } = useTranslation('money');
  if (isLate) return null;
  if (expectedBy === null) return t('notify');
  const waitsForMember = steps.some(({ name, isDone }) => !isDone && (name === 'paid' || name === 'transferred'));
  return t(waitsForMember ? 'payBy' : 'expectedBy', { time: formatTime(expectedBy) });
}

function StepMark({ step, hasFailed }: { step: Step; hasFailed: boolean }) {
  const base = 'flex size-6 shrink-0 items-center justify-center rounded-full';
  if (!step.isDone)
    return (
      <span className={`${base} bg-raised text-amber`}>
        <ClockIcon className="size-4" />
      </span>
    );
  return hasFailed ? (
    <span className={`${base} bg-coral-deep text-coral`}>
      <CloseIcon className="size-4" />
    </span>
  ) : (
    <span className={`${base} bg-jade-deep text-jade`}>
      <CheckIcon className="size-4" />
    </span>
  );
}
