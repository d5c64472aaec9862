import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { MethodTime, MethodTimeAndFee } from '../../shared/time-and-fee.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { ChevronLeftIcon } from '../../ui/core/icons.tsx';
import type { Advice } from './advice/use-advice.ts';
import { BankPanel, WalletPanel } from './bank-transfer/bank-panel.tsx';
import { useMethodText, MethodIcon } from './method-list.tsx';
import { type DepositMethod, takesAnyBankApp } from './methods.ts';
import { QrPanel } from './qrcode/qr-panel.tsx';
import { SlipPanel } from './slip/slip-panel.tsx';

export type PanelProps = {
  onClose: () => void;
  onSlips: () => void;
  /** Called when a deposit was credited; the amount is in wire format. */
  onArrived: (amount: number) => void;
};

export type MethodPanelProps = PanelProps & {
  method: DepositMethod;
  /** The amount of the question and of the method's form. */
  advice: Pick<Advice, 'typed' | 'setTyped' | 'amount' | 'usualOf'>;
  onBack: (() => void) | undefined;
  /** Opens the slip method. */
  onSlip: () => void;
  /** Whether the panel was opened from another method; then its heading gets the focus. */
  takesFocus: boolean;
};

/** Panel of one method, with its name and a back button. */
export function MethodPanel({ method, onBack, takesFocus, ...props }: MethodPanelProps) {
  const { t } = useTranslation('deposit');
  const heading = useRef<HTMLHeadingElement>(null);
  const topRef = useRef<HTMLDivElement>(null);
  const usual = props.advice.usualOf(method);
  const isStep = onBack !== undefined || takesFocus;
  useEffect(() => {
    // If the screen is rotated while the member types, the input keeps the focus.
    const isTyping = document.activeElement?.matches('input') ?? false;
    if (isStep && !isTyping) heading.current?.focus({ preventScroll: true });
    topRef.current?.scrollIntoView({ block: 'start' });
  }, [isStep]);
  return (
    <MethodTime value={usual}>
      <div
        ref={topRef}
        className={`mb-4 flex scroll-mt-4 items-center gap-3 short:-mt-2 short:mb-2 ${onBack ? '-ml-2' : ''}`}
      >
        {onBack && (
          <IconButton label={t('otherWays')} onClick={onBack}>
            <ChevronLeftIcon />
          </IconButton>
        )}
        <MethodTitle method={method} heading={heading} />
      </div>
      <MethodContent method={method} {...props} />
    </MethodTime>
  );
}

type MethodTitleProps = { method: DepositMethod; heading?: Ref<HTMLHeadingElement>; className?: string };

/** Name and icon of a method, its usual time and the fee. */
export function MethodTitle({ method, heading, className = '' }: MethodTitleProps) {
  const { t } = useTranslation('deposit');
  const { name } = useMethodText(method);
  return (
    <div className={`flex min-w-0 items-center gap-3 ${className}`}>
      <MethodIcon method={method} className="size-10 short:size-8" />
      <div className="min-w-0">
        <p className="text-sm leading-normal text-faint short:hidden">{t(`group.${method.kind}`)}</p>
        <h3 ref={heading} tabIndex={-1} className="text-base leading-normal font-semibold outline-none">
          {name}
        </h3>
        {takesAnyBankApp(method) && (
          <p className="text-sm leading-normal text-muted short:hidden">{t('advice.anyBankApp')}</p>
        )}
        {/* On its side a phone has room for the code only. */}
        <MethodTimeAndFee className="text-muted low:hidden" />
      </div>
    </div>
  );
}

function MethodContent({
  method,
  ...props
}: PanelProps & Pick<MethodPanelProps, 'method' | 'advice' | 'onSlip'>): ReactNode {
  switch (method.kind) {
    case 'qr':
      return <QrPanel account={method.account} advice={props.advice} onClose={props.onClose} />;
    case 'bank':
      return (
        <BankPanel
          account={method.account}
          takesSlips={method.takesSlips}
          advice={props.advice}
          onSlip={props.onSlip}
        />
      );
    case 'wallet':
      return <WalletPanel wallet={method.wallet} amount={props.advice.amount} onArrived={props.onArrived} />;
    case 'slip':
      return <SlipPanel onSlips={props.onSlips} />;
  }
}
