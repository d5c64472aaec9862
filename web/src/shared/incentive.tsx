import { type Currency, toWire, parseDecimal, smallestUnit } from '@krapao/contract/money';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useOperatorData } from '../api/operator-data.ts';
import type { Reply } from '../api/types.ts';
import { formatAmount, formatNumber } from '../format/number.ts';
import { fromWire } from '../member/amounts.ts';
import { Amount } from '../ui/amount.tsx';

/** Progress of a condition that must be met before a withdrawal. */
export type Condition = {
  kind: 'BONUS' | 'PROMOTION' | 'REFUND' | 'INVITE' | 'COUPON';
  name: string;
  state: string;
  base: number;
  current: number;
  target: number;
  /** Missing amount from `current` to `target`; 0 when the target is reached. */
  missing: number;
  floor: number;
  turnover: number | null;
  turnoverTarget: number | null;
  outstanding: number;
  /** Whether current play counts for this condition; false while an older condition counts first. */
  isCounting: boolean;
};

export type ConditionProgressProps = {
  condition: Condition;
  currency: Currency | undefined;
  /** Shows the name of the condition, for use in a list. */
  withName?: boolean;
  /** Set if several conditions are listed: also marks the condition for which play counts now. */
  isOneOfSeveral?: boolean;
};

/** Position of an amount between two amounts, in percent; for display only. */
function percentBetween(amount: number, from: number, to: number): number {
  if (amount >= to) return 100;
  return amount <= from ? 0 : ((amount - from) / (to - from)) * 100;
}

/** Progress of a condition: the missing amount, the position between floor and target, and the condition's rules. */
export function ConditionProgress({
  condition,
  currency = 'BAHT',
  withName = false,
  isOneOfSeveral = false,
}: ConditionProgressProps) {
  const { t } = useTranslation('parts');
  const { kind, name, state, base, current, target, missing, floor, turnover, turnoverTarget, outstanding } = condition;
  const formatMoney = (amount: number): string => formatAmount(amount, { currency, withSign: true });
  const isWaiting = state === 'ACTIVE' && !condition.isCounting;
  const isOpeningOrClearing = state === 'OPENING' || state === 'CLEARING';
  const headline = isOpeningOrClearing
    ? t(`condition.state.${state}`)
    : missing > 0
      ? t('condition.missing', { amount: formatMoney(missing) })
      : t('condition.met');
  return (
    <div className="grid grid-cols-1 gap-2">
      {withName && <ConditionTitle name={name} kind={t(`condition.kind.${kind}`)} />}
      {isWaiting && <CountingNote className="bg-well text-muted ring-line">{t('condition.turn.next')}</CountingNote>}
      {condition.isCounting && isOneOfSeveral && (
        <CountingNote className="bg-jade-deep text-jade ring-jade/40">{t('condition.turn.now')}</CountingNote>
      )}
      <p className="font-semibold text-gold-lit">{headline}</p>
      <ProgressBar
        label={t('condition.progress')}
        text={t('condition.of', { amount: formatMoney(current), target: formatMoney(target) })}
        percent={percentBetween(current, floor, target)}
        startPercent={percentBetween(base, floor, target)}
        isBelowStart={current < base}
      />
      <dl className="flex flex-wrap justify-between gap-x-3 gap-y-1 text-sm">
        <LabelledAmount name={t('condition.floor')} value={formatMoney(floor)} />
        <LabelledAmount name={t('condition.current')} value={formatMoney(current)} isMain />
        <LabelledAmount name={t('condition.target')} value={formatMoney(target)} />
      </dl>
      {turnover !== null && turnoverTarget !== null && (
        <div className="mt-1 grid gap-1 text-sm">
          <p>{t('condition.turnover', { amount: formatMoney(turnover), target: formatMoney(turnoverTarget) })}</p>
          <ProgressBar
            label={t('condition.turnoverProgress')}
            text={t('condition.of', { amount: formatMoney(turnover), target: formatMoney(turnoverTarget) })}
            percent={percentBetween(turnover, 0, turnoverTarget)}
          />
          <p className="text-muted">{t('condition.either')}</p>
        </div>
      )}
      {outstanding > 0 && (
        <p className="text-sm text-amber">{t('condition.outstanding', { amount: formatMoney(outstanding) })}</p>
      )}
      <p className="text-sm text-muted">
        {isWaiting ? t('condition.turn.nextHint') : t('condition.counts', { base: formatMoney(base) })}
      </p>
    </div>
  );
}

/** Kind and name of a condition; the name alone if it contains the word of its kind: "Daily bonus 10%". */
function ConditionTitle({ name, kind }: { name: string; kind: string }) {
  return (
    <p className="text-sm text-muted">
      {!name.toLowerCase().includes(kind.toLowerCase()) && `${kind} `}
      <span className="font-semibold text-ivory">{name}</span>
    </p>
  );
}

/** Note on whether play counts for this condition; play counts for one condition at a time. */
function CountingNote({ className, children }: { className: string; children: ReactNode }) {
  return <p className={`w-fit rounded-full px-2.5 py-0.5 text-xs font-medium ring-1 ${className}`}>{children}</p>;
}

type LabelledAmountProps = { name: string; value: string; isMain?: boolean };

function LabelledAmount({ name, value, isMain = false }: LabelledAmountProps) {
  return (
    <div className="flex flex-col first:items-start last:ml-auto last:items-end not-first:not-last:items-center">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={`amount ${isMain ? 'font-semibold' : ''}`}>{value}</dd>
    </div>
  );
}

type ProgressBarProps = {
  label: string;
  /** Accessible value text, announced instead of the percentage. */
  text: string;
  /** Progress in percent. */
  percent: number;
  /** Position of the start amount, in percent. */
  startPercent?: number;
  isBelowStart?: boolean;
};

function ProgressBar({ label, text, percent, startPercent, isBelowStart = false }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(percent)}
      aria-valuetext={text}
      className="relative h-3 overflow-hidden rounded-full bg-well ring-1 ring-edge/60"
    >
      <span
        className={`absolute inset-y-0 left-0 rounded-full ${isBelowStart ? 'bg-amber' : 'bg-gold'}`}
        style={{ width: `${percent}%` }}
      />
      {startPercent !== undefined && startPercent > 0 && startPercent < 100 && (
        <span className="absolute inset-y-0 w-0.5 bg-ivory" style={{ left: `${startPercent}%` }} />
      )}
    </div>
  );
}

export type ConditionTermsProps = {
  /** Reward plus its base amount; 0 while unknown. */
  amount: number;
  percentSuccess: number;
  percentFail: number;
  currency: Currency;
  /** Shows both percentages even if the reward starts no condition. */
  withPercentages?: boolean;
};

/** Withdrawal terms of a reward, in percent and in amounts. */
export function ConditionTerms({
  amount,
  percentSuccess,
  percentFail,
  currency,
  withPercentages = false,
}: ConditionTermsProps) {
  const { t } = useTranslation('parts');
  // Without a percentage above 100 the target equals the start, so there is nothing to reach.
  const isFree = percentSuccess <= 100;
  if (isFree && !withPercentages) return <p className="text-sm text-muted">{t('terms.free')}</p>;
  const limits = [
    { text: 'terms.success', percent: percentSuccess, rounds: 'up', colour: 'bg-jade' },
    { text: 'terms.fail', percent: percentFail, rounds: 'down', colour: 'bg-edge' },
  ] as const;
  return (
    <div className="text-sm">
      <p className="text-muted">{t(isFree ? 'terms.free' : 'terms.intro')}</p>
      <dl className="mt-2 grid gap-2">
        {limits.map(({ text, percent, rounds, colour }) => (
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

/** Adds the missing amount to an open condition. */
export function withMissing(condition: OpenCondition): OpenCondition & { missing: number } {
  const missing = (fromWire(condition.target) ?? 0n) - (fromWire(condition.current) ?? 0n);
  return { ...condition, missing: toWire(missing > 0n ? missing : 0n) };
}

/**
 * Share of an amount in percent, rounded like the server's calculation: targets up, floors down, to the smallest
 * transferable unit.
 * @param amount major units in wire format
 * @returns major units in wire format; undefined if amount or percent isn't a number of at most two decimals
 */
export function progressShare(
  amount: number,
  percent: number,
  currency: Currency,
  rounds: 'up' | 'down',
): number | undefined {
  const [amountHundredths, percentHundredths] = [parseDecimal(String(amount)), parseDecimal(String(percent))];
  if (amountHundredths === undefined || percentHundredths === undefined) return undefined;
  const divisor = smallestUnit(currency) * 10_000n;
  const unitCount = (amountHundredths * percentHundredths + (rounds === 'up' ? divisor - 1n : 0n)) / divisor;
  return toWire(unitCount * smallestUnit(currency));
}

/** Placeholder in the operator's text for a bonus percentage. */
const PERCENT_PLACEHOLDER = /\{\{\s*percentFail\s*\}\}\s*%?/g;

/**
 * The operator's notice about bonuses and withdrawals, with the percentage inserted.
 * @param percent of a bonus as enforced by the server
 * @returns undefined while loading; '' if the notice can't be loaded, or needs a percentage and there is none
 */
export function useSiteNotice(percent: number | undefined): string | undefined {
  const { data, failure } = useOperatorData('GET /api/lookup/notice', true);
  if (!data) return failure ? '' : undefined;
  const notice = data.notice.trim();
  if (percent !== undefined) return notice.replaceAll(PERCENT_PLACEHOLDER, `${percent}%`);
  return notice.search(PERCENT_PLACEHOLDER) < 0 ? notice : '';
}
