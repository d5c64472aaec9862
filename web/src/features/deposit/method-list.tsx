import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAccountNumber, bankName } from '../../format/text.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { BankMark } from '../../ui/art/bank-mark.tsx';
import { ChevronRightIcon } from '../../ui/core/icons.tsx';
import { SlipIcon } from '../../ui/deposit-icons.tsx';
import { bankOf, isAutoDetected, type DepositMethod, type MethodGroup } from './methods.ts';

export type MethodListProps = {
  groups: readonly MethodGroup[];
  /** Ids of the methods with an unpaid QR code. */
  liveIds: ReadonlySet<string>;
  selected: string | undefined;
  /** Whether the list scrolls to the selected method. */
  follows: boolean;
  /** Id of the last opened method, whose button gets the focus. */
  focusedId: string | undefined;
  onChoose: (id: string) => void;
};

export function MethodList({ groups, liveIds, selected, follows, focusedId, onChoose }: MethodListProps) {
  const { t } = useTranslation('deposit');
  const id = useId();
  return (
    <nav aria-label={t('method')} className="grid gap-4 md:gap-3">
      {groups.map(({ kind, methods }) => (
        <section key={kind} aria-labelledby={`${id}${kind}`}>
          <h3 id={`${id}${kind}`} className="mb-1 px-2 text-sm font-medium text-faint">
            {t(`group.${kind}`)}
          </h3>
          <ul className="grid gap-2 md:gap-1">
            {methods.map((method) => (
              <li key={method.id}>
                <MethodButton
                  method={method}
                  hasUnpaidQr={liveIds.has(method.id)}
                  isSelected={method.id === selected}
                  follows={follows}
                  hasFocus={method.id === focusedId}
                  onChoose={() => onChoose(method.id)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

type MethodButtonProps = {
  method: DepositMethod;
  hasUnpaidQr: boolean;
  isSelected: boolean;
  follows: boolean;
  hasFocus: boolean;
  onChoose: () => void;
};

function MethodButton({ method, hasUnpaidQr, isSelected, follows, hasFocus, onChoose }: MethodButtonProps) {
  const { t } = useTranslation('deposit');
  const button = useRef<HTMLButtonElement>(null);
  const { name, hint } = useMethodText(method);
  const isStopped = method.kind === 'qr' && method.account.isStopped === true;
  useEffect(() => {
    if (hasFocus) button.current?.focus();
  }, [hasFocus]);
  useEffect(() => {
    if (isSelected && follows) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected, follows]);
  return (
    <button
      ref={button}
      type="button"
      aria-current={isSelected || undefined}
      onClick={onChoose}
      className="flex min-h-16 w-full items-center gap-3 rounded-md bg-raised px-3 py-2 text-left ring-1 ring-line transition-colors ring-inset hover:bg-line aria-[current]:bg-raised aria-[current]:ring-gold md:min-h-12 md:py-1 md:bg-transparent md:ring-transparent"
    >
      <span className="relative shrink-0">
        <MethodIcon method={method} className="size-10" />
        {hasUnpaidQr && <span className="absolute -top-1 -right-1 size-3 rounded-full bg-amber ring-2 ring-panel" />}
      </span>
      <span className="min-w-0 grow">
        <span className="block leading-normal font-medium">{name}</span>
        <span className={`block text-sm leading-normal ${isStopped && !hasUnpaidQr ? 'text-amber' : 'text-muted'}`}>
          {hasUnpaidQr ? t('waiting') : hint}
        </span>
      </span>
      <ChevronRightIcon className="size-5 text-faint md:hidden" />
    </button>
  );
}

/** Name of a method, and a hint that helps to choose it. */
export function useMethodText(method: DepositMethod): { name: string; hint: string } {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  switch (method.kind) {
    case 'qr':
      return {
        name: bankOf(method) ?? '',
        hint: method.account.isStopped
          ? t('stopped')
          : t('least', { amount: money.format(Math.max(method.account.minimum ?? 0, 1)) }),
      };
    case 'bank':
      return {
        name: bankName(method.account.bank),
        hint: isAutoDetected(method.account) ? formatAccountNumber(method.account.bankAccountNo) : t('withSlip'),
      };
    case 'wallet':
      return isAutoDetected(method.wallet)
        ? { name: t('walletApp'), hint: formatAccountNumber(method.wallet.walletAccountNo) }
        : { name: t('giftLink'), hint: t('giftHint') };
    case 'slip':
      return { name: t('slip'), hint: t('slipHint') };
  }
}

export function MethodIcon({ method, className }: { method: DepositMethod; className: string }) {
  if (method.kind === 'slip')
    return (
      <span className={`flex shrink-0 items-center justify-center rounded-[27%] bg-jade-deep text-jade ${className}`}>
        <SlipIcon className="size-3/5" />
      </span>
    );
  return <BankMark code={method.kind === 'wallet' ? 'WALLET' : method.account.bankCode} className={className} />;
}
