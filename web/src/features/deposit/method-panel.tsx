import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { ChevronLeftIcon } from '../../ui/core/icons.tsx';
import { BankPanel, WalletPanel } from './bank-transfer/bank-panel.tsx';
import { QrPanel } from './qrcode/qr-panel.tsx';
import { SlipPanel } from './slip/slip-panel.tsx';
import { useMethodText, MethodIcon } from './method-list.tsx';
import type { DepositMethod } from './methods.ts';

export type PanelProps = {
  onClose: () => void;
  onSlips: () => void;
  /** A deposit was credited; amount in wire format. */
  onArrived: (amount: number) => void;
};

export type MethodPanelProps = PanelProps & {
  way: DepositMethod;
  onBack: (() => void) | undefined;
  /** Opens the slip method. */
  onSlip: () => void;
  /** Opened from another method: takes the focus. */
  isLed: boolean;
};

/** One method with its name and a back button. */
export function MethodPanel({ way, onBack, isLed, ...props }: MethodPanelProps) {
  const { t } = useTranslation(['deposit', 'common']);
  const { name } = useMethodText(way);
  const heading = useRef<HTMLHeadingElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const isStep = onBack !== undefined || isLed;
  useEffect(() => {
    // After a rotation while typing, the field keeps the focus.
    const isTyping = document.activeElement?.matches('input') ?? false;
    if (isStep && !isTyping) heading.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: 'start' });
  }, [isStep]);
  return (
    <>
      <div
        ref={top}
        className={`mb-4 flex scroll-mt-4 items-center gap-3 short:-mt-2 short:mb-2 ${onBack ? '-ml-2' : ''}`}
      >
        {onBack && (
          <IconButton label={t('otherWays')} onClick={onBack}>
            <ChevronLeftIcon />
          </IconButton>
        )}
        <MethodIcon way={way} className="size-10 short:size-8" />
        <div className="min-w-0">
          <p className="text-sm leading-normal text-faint short:hidden">{t(`group.${way.kind}`)}</p>
          <h3 ref={heading} tabIndex={-1} className="text-base leading-normal font-semibold outline-none">
            {name}
          </h3>
        </div>
      </div>
      <Panel way={way} {...props} />
    </>
  );
}

function Panel({ way, ...props }: PanelProps & Pick<MethodPanelProps, 'way' | 'onSlip'>): ReactNode {
  switch (way.kind) {
    case 'qr':
      return <QrPanel account={way.account} onClose={props.onClose} />;
    case 'bank':
      return <BankPanel account={way.account} takesSlips={way.takesSlips} onSlip={props.onSlip} />;
    case 'wallet':
      return <WalletPanel wallet={way.wallet} onArrived={props.onArrived} />;
    case 'slip':
      return <SlipPanel onSlips={props.onSlips} />;
  }
}
