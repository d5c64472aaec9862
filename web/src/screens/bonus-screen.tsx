import { navigate } from 'wouter/use-browser-location';
import { BonusPage } from '../features/bonus/bonus-page.tsx';
import { useHashTarget } from '../routing/hash-target.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { useLazyDialog } from '../shared/lazy-dialog.ts';
import { loadDialogs } from './load-dialogs.ts';

const loadDeposit = async () => (await loadDialogs()).DepositDialog;

/** The bonus page plus the deposit dialog, because most bonuses need a deposit. */
export function BonusScreen() {
  const { opened: deposit, open: openDeposit, close: closeDeposit } = useLazyDialog(loadDeposit);
  useHashTarget((name) => {
    if (name !== 'deposit') return false;
    openDeposit();
    return true;
  });
  return (
    <>
      <BonusPage onDeposit={openDeposit} />
      {deposit && (
        <DialogBoundary sectionName="dialog deposit" onClose={closeDeposit}>
          <deposit.loaded onClose={closeDeposit} onSlips={() => navigate('/user/statement#slips')} />
        </DialogBoundary>
      )}
    </>
  );
}
