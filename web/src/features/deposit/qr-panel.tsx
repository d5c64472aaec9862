import { useEffect, useState } from 'react';
import type { MemberEvent } from '@krapao/contract/events';
import { onMemberEvent } from '../../api/member-events.ts';
import { Arrival } from './arrival.tsx';
import type { GatewayAccount } from './gateway.ts';
import { PanelToCome } from './panel-to-come.tsx';
import { LiveQr } from './live-qr.tsx';
import { QrForm } from './qr-form.tsx';
import { useQrDeposit } from './use-qr-deposit.ts';

export type QrPanelProps = { account: GatewayAccount; onClose: () => void };

/** Paying in by QR at one gateway: the amount, the code to pay, the money's arrival. */
export function QrPanel({ account, onClose }: QrPanelProps) {
  const deposit = useQrDeposit(account.bankCode);
  const [arrived, setArrived] = useState<MemberEvent>();
  useEffect(
    () =>
      onMemberEvent((event) => {
        if (event.kind === 'deposit' && event.state === 'SUCCESS') setArrived(event);
      }),
    [],
  );
  if (arrived) return <Arrival amount={arrived.amount} onAgain={() => setArrived(undefined)} onClose={onClose} />;
  if (deposit.isLoading) return <PanelToCome />;
  if (deposit.live) return <LiveQr qr={deposit.live} deposit={deposit} onClose={onClose} />;
  return <QrForm account={account} deposit={deposit} />;
}
