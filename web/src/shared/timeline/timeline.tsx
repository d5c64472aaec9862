import { useTranslation } from 'react-i18next';
import { formatDateTime, formatTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { i18n } from '../../i18n/i18n.ts';
import { CheckIcon, CloseIcon } from '../../ui/core/icons.tsx';
import { ClockIcon } from '../../ui/data/member-icons.tsx';
import type { TimelineItem } from './money-texts.ts';

/** The steps of an item. The first open one has the expected time. */
export function Timeline({ item }: { item: TimelineItem }) {
  const { t } = useTranslation('money');
  const firstOpen = item.steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol aria-label={t('steps')} className="mt-4 grid gap-3">
      {item.steps.map((step, index) => (
        <li key={step.name} data-step={step.name} className="flex items-start gap-3 text-sm">
          <StepMark
            isDone={step.isDone}
            // `returned` as the last step means that the money came back after `refused`.
            hasFailed={
              item.status === 'FAILED' &&
              (step.name === 'refused' || (index === item.steps.length - 1 && step.name !== 'returned'))
            }
          />
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
      {item.bonus && <BonusStep bonus={item.bonus} currency={item.currency} />}
    </ol>
  );
}

type ChosenBonus = NonNullable<TimelineItem['bonus']>;

const BONUS_MARKS = {
  PENDING: { isDone: false, hasFailed: false },
  RECEIVED: { isDone: true, hasFailed: false },
  REFUSED: { isDone: true, hasFailed: true },
} as const;

/** Outcome of the bonus chosen with a deposit, and why it was refused. */
function BonusStep({ bonus, currency }: { bonus: ChosenBonus; currency: TimelineItem['currency'] }) {
  const { t } = useTranslation('money');
  const { name, state, amount } = bonus;
  const words = {
    PENDING: t('bonus.pending', { name }),
    RECEIVED: t('bonus.received', { name, amount: formatAmount(amount ?? Number.NaN, { currency, withSign: true }) }),
    REFUSED: t('bonus.refused', { name }),
  }[state];
  return (
    <li data-step="bonus" className="flex items-start gap-3 text-sm">
      <StepMark {...BONUS_MARKS[state]} />
      <span className="grid min-w-0 grow gap-1 pt-0.5">
        <span className={state === 'PENDING' ? 'text-muted' : 'font-medium'}>{words}</span>
        {state === 'REFUSED' && (
          <span className="text-muted">
            {whyRefused(bonus)} <span className="block">{t('bonus.unchanged')}</span>
          </span>
        )}
      </span>
    </li>
  );
}

function whyRefused({ reason, detail }: ChosenBonus): string {
  const texts = [detail, reason].map((code): unknown =>
    i18n.getResource(i18n.language, 'money', ['bonus', 'why', code] as never),
  );
  return texts.find((text) => typeof text === 'string') ?? '';
}

/** When the open step should happen; a deposit may wait for the member's payment. */
function Expected({ item: { expectedBy, steps, isLate } }: { item: TimelineItem }) {
  const { t } = useTranslation('money');
  if (isLate) return null;
  if (expectedBy === null) return t('notify');
  const waitsForMember = steps.some(({ name, isDone }) => !isDone && (name === 'paid' || name === 'transferred'));
  return t(waitsForMember ? 'payBy' : 'expectedBy', { time: formatTime(expectedBy) });
}

function StepMark({ isDone, hasFailed }: { isDone: boolean; hasFailed: boolean }) {
  const base = 'flex size-6 shrink-0 items-center justify-center rounded-full';
  if (!isDone)
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
