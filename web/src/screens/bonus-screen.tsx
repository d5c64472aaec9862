import { type ComponentType, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { beginPending } from '../api/call.ts';
import { BonusPage } from '../features/bonus/bonus-page.tsx';
import type { DepositDialogProps } from '../features/deposit/deposit-dialog.tsx';
import { loadDialogs } from '../member/load-dialogs.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { handleChunkError } from '../routing/navigation.ts';

/** The bonus page with the deposit dialog: most bonuses need a deposit. */
export function BonusScreen() {
  const [Deposit, setDeposit] = useState<ComponentType<DepositDialogProps>>();
  const close = (): void => setDeposit(undefined);
  const showDeposit = async (): Promise<void> => {
    const end = beginPending();
    try {
      const { DepositDialog } = await loadDialogs();
      setDeposit(() => DepositDialog);
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      end();
    }
  };
  return (
    <>
      <BonusPage onDeposit={() => void showDeposit()} />
      {Deposit && (
        <DialogBoundary part="dialog deposit" onClose={close}>
          <Deposit onClose={close} onSlips={() => navigate('/user/statement#slips')} />
        </DialogBoundary>
      )}
    </>
  );
}
