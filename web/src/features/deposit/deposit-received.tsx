import { useEffect, useRef, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { useWallet } from '../../member/wallet.ts';
import { usePlayAgain } from '../../shared/play-again.ts';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/core/button.tsx';
import { PlayIcon } from '../../ui/data/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { BonusOutcome } from './bonus/bonus-outcome.tsx';

export type DepositReceivedProps = {
  amount: number;
  /** Of its event; undefined before the event. */
  reference: string | undefined;
  onDepositAgain: () => void;
  onClose: () => void;
};

/** A received deposit: its amount and the new wallet balance. The main button plays the last game, if there is one. */
export function DepositReceived({ amount, reference, onDepositAgain, onClose }: DepositReceivedProps) {
  const { t } = useTranslation('deposit');
  const { data } = useWallet();
  const money = useCurrency();
  const again = usePlayAgain();
  const contentRef = useRef<HTMLDivElement>(null);
  // Moves the focus here, because this content replaced the focused element.
  useEffect(() => contentRef.current?.focus(), []);
  return (
    <>
      <div ref={contentRef} tabIndex={-1} className="grid justify-items-center gap-2 pt-2 text-center outline-none">
        <FilledBag />
        <div role="status" className="grid gap-1">
          <p className="text-lg font-semibold">{t('arrived')}</p>
          <p className="amount text-2xl font-bold text-jade">{t('arrivedAmount', { amount: money.format(amount) })}</p>
        </div>
        <p className="mt-2 flex items-baseline gap-3 rounded-md bg-raised px-5 py-2 text-sm text-muted">
          {t('newBalance')}
          <Amount
            value={data?.wallet.amount}
            currency={money.currency}
            withSign
            isAnimated
            className="text-lg font-semibold text-gold-lit"
          />
        </p>
        {reference !== undefined && <BonusOutcome reference={reference} />}
      </div>
      <ModalActions>
        {again && (
          <Button
            variant="primary"
            icon={<PlayIcon />}
            onClick={() => {
              onClose();
              again.play();
            }}
          >
            {again.label}
          </Button>
        )}
        <Button variant={again ? 'quiet' : 'gold'} onClick={onClose}>
          {t('finish')}
        </Button>
        <Button variant="quiet" onClick={onDepositAgain}>
          {t('again')}
        </Button>
      </ModalActions>
    </>
  );
}

/** Final position and rotation of each gold flake, and its delay in ms. */
const goldFlakes = [
  { x: 40, y: 34, turn: 20, delayMs: 0 },
  { x: 66, y: 14, turn: -30, delayMs: 140 },
  { x: 100, y: 6, turn: 45, delayMs: 60 },
  { x: 134, y: 16, turn: 10, delayMs: 220 },
  { x: 158, y: 38, turn: -50, delayMs: 100 },
  { x: 24, y: 72, turn: 60, delayMs: 260 },
  { x: 174, y: 76, turn: -15, delayMs: 180 },
];

/** Illustration of a full bag with falling gold flakes. */
function FilledBag() {
  return (
    <svg viewBox="0 0 200 160" className="h-36 w-44" aria-hidden="true" focusable="false">
      <circle cx="100" cy="96" r="60" fill="var(--color-jade-deep)" />
      <path d="M58 78h84l9 62a8 8 0 0 1-8 9H57a8 8 0 0 1-8-9Z" fill="var(--color-lacquer)" />
      <path d="M58 78h84l3 20H55Z" fill="var(--color-lacquer-deep)" />
      <path
        d="M76 78V66a24 24 0 0 1 48 0v12"
        fill="none"
        stroke="var(--color-gold)"
        strokeWidth="6"
        strokeLinecap="round"
      />
      <circle cx="100" cy="122" r="19" fill="var(--color-gold)" />
      <path
        d="m91 122 6.500 6.500L110 115"
        fill="none"
        stroke="var(--color-well)"
        strokeWidth="5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      {goldFlakes.map(({ x, y, turn, delayMs }) => (
        <g key={`${x} ${y}`} transform={`translate(${x} ${y}) rotate(${turn})`}>
          <path
            d="M-5-3 3-5l3 6-8 4Z"
            fill="var(--color-gold-lit)"
            className="leaf"
            style={{ animationDelay: `${delayMs}ms` }}
          />
        </g>
      ))}
    </svg>
  );
}

/**
 * Calls a function for each deposit that was credited to the wallet. @param onArrived gets the amount in wire format, and
 *   the reference
 */
export function useDepositReceived(onArrived: (amount: number, reference: string) => void): void {
  const handleReceived = useEffectEvent(onArrived);
  useEffect(
    () =>
      onMemberEvent((event) => {
        if (event.kind === 'deposit' && event.state === 'SUCCESS') handleReceived(event.amount, event.reference);
      }),
    [],
  );
}
