import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrency } from '../../../member/use-currency.ts';
import { useWallet } from '../../../member/wallet.ts';
import { ChevronDownIcon } from '../../../ui/core/icons.tsx';
import { Skeleton } from '../../../ui/data/skeleton.tsx';
import { GiftIcon } from '../../../ui/deposit-icons.tsx';
import { type BonusChoice, type DepositBonus, termsOn, useBonusChoice } from './bonus-choice.tsx';

export type BonusFieldProps = {
  /** Amount of the deposit; undefined while it is unknown. */
  amount: number | undefined;
  isDisabled?: boolean;
};

/** Height of the choice, its placeholder and its notes: the form does not move when the offers have loaded. */
const HEIGHT_CLASS = 'min-h-14';

/** Chooses the bonus of a deposit: collapsed to the choice and its condition. Without an offer, it says why. */
export function BonusField({ amount, isDisabled = false }: BonusFieldProps) {
  const { t } = useTranslation('deposit');
  const { bonuses, isLoading, isUnknown, obstacle, code, choose } = useBonusChoice();
  const isExcluded = (useWallet().data?.conditions ?? []).some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  const [isOpen, setOpen] = useState(false);
  const textOf = useBonusText(amount);
  const chosenText = useChosenText(amount);
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const isByKey = useRef(false);
  // A press ends the choice, so that the deposit's button is near; keys only move through it.
  const closeAfterPress = (): void => {
    const wasByKey = isByKey.current;
    isByKey.current = false;
    if (wasByKey) return;
    setOpen(false);
    toggle.current?.focus();
  };
  // A choice makes the text longer, which can move the toggle out of view.
  useEffect(() => {
    if (toggle.current === document.activeElement) toggle.current?.scrollIntoView({ block: 'nearest' });
  }, [code]);
  // The note of the locked deposit says why.
  if (isExcluded) return null;
  if (isLoading) return <Skeleton className={`${HEIGHT_CLASS} w-full rounded-md`} />;
  if (isUnknown) return <div className={HEIGHT_CLASS} />;
  if (bonuses.length === 0) return <NoBonusNote obstacle={obstacle} />;
  const chosen = bonuses.find((bonus) => bonus.code === code);
  const none = { value: '', isPossible: true, title: t('bonus.none'), condition: t('bonus.noneNote') };
  const options = [none, ...bonuses.map((bonus) => ({ value: bonus.code, ...textOf(bonus) }))];
  const shown = chosen ? chosenText(chosen) : none;
  return (
    <div className="grid gap-2">
      <button
        ref={toggle}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        disabled={isDisabled}
        onClick={() => setOpen(!isOpen)}
        className={`flex ${HEIGHT_CLASS} w-full items-center gap-3 rounded-md bg-raised px-3 py-1 text-left ring-1 ring-line transition-colors ring-inset hover:bg-line`}
      >
        <GiftIcon className="size-6 shrink-0 text-gold" />
        <span className="min-w-0 grow text-sm leading-normal">
          <span className="sr-only">{`${t('bonus.label')}: `}</span>
          <span className="block font-semibold">{shown.title}</span>
          <span className={`block ${chosen ? 'text-amber' : 'text-muted'}`}>{shown.condition}</span>
        </span>
        <ChevronDownIcon className={`size-5 shrink-0 text-faint transition-transform ${isOpen ? 'rotate-180' : ''}`} />
      </button>
      <fieldset hidden={!isOpen} id={id} disabled={isDisabled} aria-label={t('bonus.choose')} className="min-w-0">
        <div className="grid gap-2">
          {options.map(({ value, isPossible, title, condition }) => (
            <label
              key={value}
              className="flex min-h-14 cursor-pointer items-center gap-3 rounded-md bg-well px-3 py-1.5 text-sm leading-normal ring-1 ring-line ring-inset has-checked:ring-gold has-disabled:cursor-not-allowed"
            >
              <input
                type="radio"
                name={id}
                value={value}
                checked={value === code}
                disabled={!isPossible}
                onChange={() => choose(value)}
                onKeyDown={({ key }) => (isByKey.current = key === ' ' || key.startsWith('Arrow'))}
                onClick={closeAfterPress}
                className="size-5 shrink-0 accent-gold"
              />
              <span className="min-w-0 font-semibold">
                {title} <span className="block font-normal text-muted">{condition}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
    </div>
  );
}

/** Says that the deposit gets no bonus, and what the member can do about it. */
function NoBonusNote({ obstacle }: Pick<BonusChoice, 'obstacle'>) {
  const { t } = useTranslation('deposit');
  return (
    <p
      className={`flex ${HEIGHT_CLASS} items-center gap-3 rounded-md bg-raised px-3 py-1 text-sm leading-normal text-muted`}
    >
      <GiftIcon className="size-6 shrink-0 text-faint" />
      <span className="min-w-0">
        <span className="font-semibold">{t(obstacle ? 'bonus.notYet' : 'bonus.noOffer')}</span>
        {obstacle && ' · '}
        {obstacle && <span>{t(`bonus.obstacle.${obstacle}`)}</span>}
      </span>
    </p>
  );
}

/** What a bonus gives, and its condition, on an amount. */
function useBonusText(amount: number | undefined) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  return (bonus: DepositBonus): { isPossible: boolean; title: string; condition: string } => {
    const { name, percentSuccess: percent, turnoverTimes: times } = bonus;
    const terms = amount === undefined ? undefined : termsOn(bonus, amount, money.currency);
    if (terms) {
      const target = money.format(terms.target);
      const turnover = terms.turnoverTarget === null ? undefined : money.format(terms.turnoverTarget);
      return {
        isPossible: true,
        title: `${t('bonus.gives', { amount: money.format(terms.amount) })} · ${name}`,
        condition: turnover ? t('bonus.locksOrTurnover', { target, turnover }) : t('bonus.locks', { target }),
      };
    }
    if (amount !== undefined)
      return {
        isPossible: false,
        title: name,
        condition: t('bonus.from', { amount: money.format(bonus.minimumDeposit) }),
      };
    return {
      isPossible: true,
      title: `${givesText(bonus)} · ${name}`,
      condition:
        times === null ? t('bonus.locksPercent', { percent }) : t('bonus.locksPercentOrTurnover', { percent, times }),
    };
  };

  function givesText({ percent, fixed, maximum }: DepositBonus): string {
    if (percent === null) return t('bonus.gives', { amount: money.format(fixed ?? 0) });
    return maximum === null
      ? t('bonus.gives', { amount: `${percent}%` })
      : t('bonus.givesUpTo', { percent, maximum: money.format(maximum) });
  }
}

/** The text of the chosen bonus. On an amount below its minimum, it says that the bonus does not come. */
function useChosenText(amount: number | undefined): ReturnType<typeof useBonusText> {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const textOf = useBonusText(amount);
  return (bonus) => {
    const text = textOf(bonus);
    if (text.isPossible) return text;
    return { ...text, condition: t('bonus.without', { amount: money.format(bonus.minimumDeposit) }) };
  };
}

/** The bonus that was chosen with a code or an announcement; nothing without one. */
export function ChosenBonusNote({ code, amount }: { code: string | null | undefined; amount: number }) {
  const { bonuses } = useBonusChoice();
  const textOf = useChosenText(amount);
  const bonus = bonuses.find((one) => one.code === code);
  if (!bonus) return null;
  const { title, condition } = textOf(bonus);
  return (
    <p className="flex items-center gap-3 rounded-md bg-raised px-3 py-2 text-left text-sm leading-normal">
      <GiftIcon className="size-6 shrink-0 text-gold" />
      <span className="min-w-0">
        <span className="block font-semibold">{title}</span>
        <span className="block text-amber">{condition}</span>
      </span>
    </p>
  );
}
