import { PanelSkeleton } from '../panel-skeleton.tsx';
import { LiveQr } from './live-qr.tsx';
import { QrForm } from './qr-form.tsx';
import { useQrDeposit } from './use-qr-deposit.ts';
import type { DepositAccount } from '../ways.ts';

export type QrPanelProps = { account: DepositAccount; onClose: () => void };

/** Paying in by QR at one gateway: the amount, then the code to pay. */
export function QrPanel({ account, onClose }: QrPanelProps) {
  const deposit = useQrDeposit(account.bankCode);
  if (deposit.isLoading) return <PanelSkeleton />;
  if (deposit.live) return <LiveQr qr={deposit.live} deposit={deposit} onClose={onClose} />;
  return <QrForm account={account} deposit={deposit} />;
}
