import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Currency, toWire, parseDecimal, smallestUnit } from '@krapao/contract/money';
import { formatAmount, formatNumber } from '../format/number.ts';
import { Amount } from '../ui/amount.tsx';
import type { Reply } from '../api/types.ts';
import { fromWire } from '../member/amounts.ts';

/** Progress of a condition that must be met before a withdrawal. */
export type Condition = {
  kind: 'BONUS' | 'PROMOTION' | 'REFUND' | 'INVITE' | 'COUPON';
  name: string;
  state: string;
  base: number;
  current: number;
  target: number;
  /** From `current` to `target`; 0 when met. */
  missing: number;
  floor: number;
  turnover: number | null;
  turnoverTarget: number | null;
  outstanding: number;
  /** Current play counts for it; otherwise an older condition comes first. */
  isCounting: boolean;
};

export type ConditionProgressProps = {
  condition: Condition;
  currency: Currency | undefined;
  /** Shows its name, for lists. */
  withName?: boolean;
  /** Among several: says that play counts for this one now. A waiting one always says so. */
  amongOthers?: boolean;
};

/** Position of an amount between two others in percent; for display only. */
function placeOf(amount: number, from: number, to: number): number {
  if (amount >= to) return 100;
  return amount <= from ? 0 : ((amount - from) / (to - from)) * 100;
}

/** Progress of a condition: what is missing, the position between its floor and its target, and what counts. */
export function ConditionProgress({
  condition,
  currency = 'BAHT',
  withName = false,
  amongOthers = false,
}: ConditionProgressProps) {
  const { t } = useTranslation('parts');
  const { kind, name, state, base, current, target, missing, floor, turnover, turnoverTarget, outstanding } = condition;
  const money = (amount: number): string => formatAmount(amount, { currency, withSign: true });
  const isWaiting = state === 'ACTIVE' && !condition.isCounting;
  const isUnderWay = state === 'OPENING' || state === 'CLEARING';
  const headline = isUnderWay
    ? t(`condition.state.${state}`)
    : missing > 0
      ? t('condition.missing', { amount: money(missing) })
      : t('condition.met');
  return (
    <div className="grid grid-cols-1 gap-2">
      {withName && (
        <p className="text-sm text-muted">
          {t(`condition.kind.${kind}`)} <span className="font-semibold text-ivory">{name}</span>
        </p>
      )}
      {isWaiting && <Turn look="bg-well text-muted ring-line">{t('condition.turn.next')}</Turn>}
      {condition.isCounting && amongOthers && (
        <Turn look="bg-jade-deep text-jade ring-jade/40">{t('condition.turn.now')}</Turn>
      )}
      <p className="font-semibold text-gold-lit">{headline}</p>
      <Bar
        label={t('condition.progress')}
        text={t('condition.of', { amount: money(current), target: money(target) })}
        place={placeOf(current, floor, target)}
        mark={placeOf(base, floor, target)}
        isBelow={current < base}
      />
      <dl className="flex flex-wrap justify-between gap-x-3 gap-y-1 text-sm">
        <Figure name={t('condition.floor')} value={money(floor)} />
        <Figure name={t('condition.current')} value={money(current)} isMain />
        <Figure name={t('condition.target')} value={money(target)} />
      </dl>
      {turnover !== null && turnoverTarget !== null && (
        <div className="mt-1 grid gap-1 text-sm">
          <p>{t('condition.turnover', { amount: money(turnover), target: money(turnoverTarget) })}</p>
          <Bar
            label={t('condition.turnoverProgress')}
            text={t('condition.of', { amount: money(turnover), target: money(turnoverTarget) })}
            place={placeOf(turnover, 0, turnoverTarget)}
          />
          <p className="text-muted">{t('condition.either')}</p>
        </div>
      )}
      {outstanding > 0 && (
        <p className="text-sm text-amber">{t('condition.outstanding', { amount: money(outstanding) })}</p>
      )}
      <p className="text-sm text-muted">
        {isWaiting ? t('condition.turn.nextHint') : t('condition.counts', { base: money(base) })}
      </p>
    </div>
  );
}

/** Whether play counts for this condition; it counts for one at a time. */
function Turn({ look, children }: { look: string; children: ReactNode }) {
  return <p className={`w-fit rounded-full px-2.5 py-0.5 text-xs font-medium ring-1 ${look}`}>{children}</p>;
}

type FigureProps = { name: string; value: string; isMain?: boolean };

function Figure({ name, value, isMain = false }: FigureProps) {
  return (
    <div className="flex flex-col first:items-start last:ml-auto last:items-end not-first:not-last:items-center">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={`amount ${isMain ? 'font-semibold' : ''}`}>{value}</dd>
    </div>
  );
}

type BarProps = {
  label: string;
  /** Accessible text instead of the percentage. */
  text: string;
  /** Percent. */
  place: number;
  /** Start of the progress, in percent. */
  mark?: number;
  isBelow?: boolean;
};

function Bar({ label, text, place, mark, isBelow = false }: BarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(place)}
      aria-valuetext={text}
      className="relative h-3 overflow-hidden rounded-full bg-well ring-1 ring-edge/60"
    >
      <span
        className={`absolute inset-y-0 left-0 rounded-full ${isBelow ? 'bg-amber' : 'bg-gold'}`}
        style={{ width: `${place}%` }}
      />
      {mark !== undefined && mark > 0 && mark < 100 && (
        <span className="absolute inset-y-0 w-0.5 bg-ivory" style={{ left: `${mark}%` }} />
      )}
    </div>
  );
}

export type ConditionTermsProps = {
  /** The reward with its base amount; 0 while unknown. */
  amount: number;
  percentSuccess: number;
  percentFail: number;
  currency: Currency;
  /** Shows both percentages even without a condition. */
  withPercentages?: boolean;
};

/** Terms of a reward before a withdrawal, in percent and in amounts. */
export function ConditionTerms({
  amount,
  percentSuccess,
  percentFail,
  currency,
  withPercentages = false,
}: ConditionTermsProps) {
  const { t } = useTranslation('parts');
  // The target equals the start: nothing to reach.
  const isFree = percentSuccess <= 100;
  if (isFree && !withPercentages) return <p className="text-sm text-muted">{t('terms.free')}</p>;
  const ends = [
    { text: 'terms.success', percent: percentSuccess, rounds: 'up', colour: 'bg-jade' },
    { text: 'terms.fail', percent: percentFail, rounds: 'down', colour: 'bg-edge' },
  ] as const;
  return (
    <div className="text-sm">
      <p className="text-muted">{t(isFree ? 'terms.free' : 'terms.intro')}</p>
      <dl className="mt-2 grid gap-2">
        {ends.map(({ text, percent, rounds, colour }) => (
          <div key={text} className="flex items-baseline gap-2">
            <span aria-hidden="true" className={`size-2 shrink-0 -translate-y-px rounded-full ${colour}`} />
            <dt className="min-w-0 grow">{t(text, { percent: formatNumber(percent, 0) })}</dt>
            <dd className="font-semibold text-gold-lit">
              {amount > 0 && (
                <Amount value={progressShare(amount, percent, currency, rounds)} currency={currency} withSign />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A condition that blocks withdrawals. */
export type OpenCondition = Reply<'GET /api/bonus/check/active'>['conditions'][number];

/** Adds what is missing to the target. */
export function withMissing(condition: OpenCondition): OpenCondition & { missing: number } {
  const missing = (fromWire(condition.target) ?? 0n) - (fromWire(condition.current) ?? 0n);
  return { ...condition, missing: toWire(missing > 0n ? missing : 0n) };
}

/**
 * A percentage of an amount, rounded as the server does: targets up, floors down, to the smallest transferable unit.
 * @param amount major units, in wire format
 * @returns the same; undefined if either is not a number of at most two decimals
 */
export function progressShare(
  amount: number,
  percent: number,
  currency: Currency,
  rounds: 'up' | 'down',
): number | undefined {
  const [units, hundredths] = [parseDecimal(String(amount)), parseDecimal(String(percent))];
  if (units === undefined || hundredths === undefined) return undefined;
  const step = smallestUnit(currency) * 10_000n;
  const steps = (units * hundredths + (rounds === 'up' ? step - 1n : 0n)) / step;
  return toWire(steps * smallestUnit(currency));
}
