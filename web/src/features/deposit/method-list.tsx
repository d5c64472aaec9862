import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAccountNumber, bankName } from '../../format/text.ts';
import { useMoney } from '../../member/money.ts';
import { BankMark } from '../../ui/art/bank-mark.tsx';
import { SlipIcon } from '../../ui/deposit-icons.tsx';
import { ChevronRightIcon } from '../../ui/core/icons.tsx';
import { isAutoDetected, type DepositMethod, type MethodGroup } from './methods.ts';

export type MethodListProps = {
  groups: readonly MethodGroup[];
  /** Methods with an unpaid code. */
  live: ReadonlySet<string>;
  selected: string | undefined;
  /** The method that was open before: gets the focus. */
  focused: string | undefined;
  onChoose: (id: string) => void;
};

/** Methods by group. */
export function MethodList({ groups, live, selected, focused, onChoose }: MethodListProps) {
  const { t } = useTranslation('deposit');
  const id = useId();
  return (
    <nav aria-label={t('method')} className="grid gap-4 md:gap-3">
      {groups.map(({ kind, ways }) => (
        <section key={kind} aria-labelledby={`${id}${kind}`}>
          <h3 id={`${id}${kind}`} className="mb-1 px-2 text-sm font-medium text-faint">
            {t(`group.${kind}`)}
          </h3>
          <ul className="grid gap-2 md:gap-1">
            {ways.map((way) => (
              <li key={way.id}>
                <WayButton
                  way={way}
                  isLive={live.has(way.id)}
                  isSelected={way.id === selected}
                  hasFocus={way.id === focused}
                  onChoose={() => onChoose(way.id)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

type WayButtonProps = {
  way: DepositMethod;
  isLive: boolean;
  isSelected: boolean;
  hasFocus: boolean;
  onChoose: () => void;
};

function WayButton({ way, isLive, isSelected, hasFocus, onChoose }: WayButtonProps) {
  const { t } = useTranslation('deposit');
  const button = useRef<HTMLButtonElement>(null);
  const { name, hint } = useMethodText(way);
  useEffect(() => {
    if (hasFocus) button.current?.focus();
  }, [hasFocus]);
  useEffect(() => {
    if (isSelected) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <button
      ref={button}
      type="button"
      aria-current={isSelected || undefined}
      onClick={onChoose}
      className="flex min-h-16 w-full items-center gap-3 rounded-md bg-raised px-3 py-2 text-left ring-1 ring-line transition-colors ring-inset hover:bg-line aria-[current]:bg-raised aria-[current]:ring-gold md:min-h-12 md:py-1 md:bg-transparent md:ring-transparent"
    >
      <MethodIcon way={way} className="size-10" />
      <span className="min-w-0 grow">
        <span className="block leading-normal font-medium">{name}</span>
        <span className="block text-sm leading-normal text-muted">{isLive ? t('waiting') : hint}</span>
      </span>
      {isLive && <span className="size-2.5 shrink-0 rounded-full bg-amber" />}
      <ChevronRightIcon className="size-5 text-faint md:hidden" />
    </button>
  );
}

/** Name of a method, and a hint for choosing it. */
export function useMethodText(way: DepositMethod): { name: string; hint: string } {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  switch (way.kind) {
    case 'qr':
      return {
        name: bankName(way.account.bank),
        hint: t('least', { amount: money.text(Math.max(way.account.minimum ?? 0, 1)) }),
      };
    case 'bank':
      return {
        name: bankName(way.account.bank),
        hint: isAutoDetected(way.account) ? formatAccountNumber(way.account.bankAccountNo) : t('withSlip'),
      };
    case 'wallet':
      return isAutoDetected(way.wallet)
        ? { name: t('walletApp'), hint: formatAccountNumber(way.wallet.walletAccountNo) }
        : { name: t('giftLink'), hint: t('giftHint') };
    case 'slip':
      return { name: t('slip'), hint: t('slipHint') };
  }
}

/** Icon of a method. */
export function MethodIcon({ way, className }: { way: DepositMethod; className: string }) {
  if (way.kind === 'slip')
    return (
      <span className={`flex shrink-0 items-center justify-center rounded-[27%] bg-jade-deep text-jade ${className}`}>
        <SlipIcon className="size-3/5" />
      </span>
    );
  return <BankMark code={way.kind === 'wallet' ? 'WALLET' : way.account.bankCode} className={className} />;
}
