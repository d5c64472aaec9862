import type { Currency } from '@krapao/contract/money';
import { MEMBER_FEE, STATED_MINUTES, type UsualTime } from '@krapao/contract/usual-time';
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { currencySign, formatNumber } from '../format/number.ts';
import { useCurrency } from '../member/use-currency.ts';

const MINUTE_SECONDS = 60;
const NO_BREAK_SPACE = '\u00a0';

/** The stated time alone, while too little is measured or the measurement can't be read. */
export const statedTime = (kind: keyof typeof STATED_MINUTES): UsualTime => ({
  medianSeconds: null,
  statedMinutes: STATED_MINUTES[kind],
});

/** Expected time and fee of a deposit or withdrawal, each with its label. */
export function useTimeAndFee({ medianSeconds: seconds, statedMinutes }: UsualTime, currency: Currency) {
  const { t } = useTranslation('money');
  const time =
    seconds === null
      ? t('usualTime.stated', { minutes: statedMinutes })
      : seconds < MINUTE_SECONDS
        ? t('usualTime.seconds', { seconds })
        : t('usualTime.minutes', { minutes: Math.ceil(seconds / MINUTE_SECONDS) });
  const fee = `${currencySign(currency)}${formatNumber(MEMBER_FEE, 0)}`;
  return {
    time: { label: t('usualTime.label'), value: time },
    fee: { label: t('fee'), value: fee },
    text: `${time} · ${t('fee')}${NO_BREAK_SPACE}${fee}`,
  };
}

/** The usual time of the shown deposit method; undefined while it loads. */
export const MethodTime = createContext<UsualTime | undefined>(undefined);

export type TimeAndFeeProps = {
  /** Undefined while it loads: the line keeps its room. */
  usual: UsualTime | undefined;
  className?: string | undefined;
};

/** The line that promises how long a deposit or withdrawal takes and what it costs. */
export function TimeAndFee({ usual, className = 'text-muted' }: TimeAndFeeProps) {
  const { time, fee } = useTimeAndFee(usual ?? statedTime('withdraw'), useCurrency().currency);
  return (
    <span className={`block text-sm leading-normal ${className} ${usual ? '' : 'invisible'}`}>
      {/* Thai and Lao words have no spaces: lines end only between time and fee. */}
      <span className="min-[20rem]:whitespace-nowrap">{time.value} ·</span>{' '}
      <span className="min-[20rem]:whitespace-nowrap">
        {fee.label} {fee.value}
      </span>
    </span>
  );
}

/** The same for the shown deposit method. */
export const MethodTimeAndFee = ({ className }: Pick<TimeAndFeeProps, 'className'>) => (
  <TimeAndFee usual={useContext(MethodTime)} className={className} />
);
