import { type ComponentType, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { beginPending } from '../api/call.ts';
import { BonusPage } from '../features/bonus/bonus-page.tsx';
import type { DepositDialogProps } from '../features/deposit/deposit-dialog.tsx';
import { loadDialogs } from '../member/load-dialogs.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { handleChunkError } from '../routing/navigation.ts';

/** The bonus page plus the deposit dialog, because most bonuses need a deposit. */
export function BonusScreen() {
  const [DepositDialogComponent, setDeposit] = useState<ComponentType<DepositDialogProps>>();
  const closeDeposit = (): void => setDeposit(undefined);
  const showDeposit = async (): Promise<void> => {
    const endPending = beginPending();
    try {
      const { DepositDialog } = await loadDialogs();
      setDeposit(() => DepositDialog);
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      endPending();
    }
  };
  return (
    <>
      <BonusPage onDeposit={() => void showDeposit()} />
      {DepositDialogComponent && (
        <DialogBoundary sectionName="dialog deposit" onClose={closeDeposit}>
          <DepositDialogComponent onClose={closeDeposit} onSlips={() => navigate('/user/statement#slips')} />
        </DialogBoundary>
      )}
    </>
  );
}
