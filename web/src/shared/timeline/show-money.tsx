import { onSessionEnd } from '../../api/session.ts';
import { mountDetached } from '../detached-root.tsx';
import { DialogBoundary } from '../dialog-boundary.tsx';
import { MoneySheet } from './money-sheet.tsx';

let close: (() => void) | undefined;

/** Shows the timeline of an item in a dialog over the page, in place of another one. */
export function showMoney(key: string): void {
  close?.();
  const hide = (): void => {
    unmount();
    unsubscribe();
    if (close === hide) close = undefined;
  };
  const unmount = mountDetached(
    <DialogBoundary sectionName="dialog money" onClose={hide}>
      <MoneySheet id={key} onClose={hide} onReopen={() => showMoney(key)} />
    </DialogBoundary>,
  );
  const unsubscribe = onSessionEnd(hide);
  close = hide;
}
