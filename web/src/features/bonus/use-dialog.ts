import { type ComponentType, useEffect, useState } from 'react';
import { beginPending } from '../../api/pending.ts';
import { failedToLoad } from '../../routing/failed-to-load.ts';
import { readyForHtml } from '../../ui/text/safe-html.tsx';
import type { BonusDialogProps, OpenDialog } from './bonus-dialog.tsx';

/** Comes when it is wanted, or when the page has come to rest, whichever is sooner. */
const load = async () => {
  const [{ BonusDialog }] = await Promise.all([import('./bonus-dialog.tsx'), readyForHtml()]);
  return BonusDialog;
};
const REST_MS = 1_500;

/** Which dialog is open, and what shows it once that is there. */
export function useDialog() {
  const [Dialog, setDialog] = useState<ComponentType<BonusDialogProps>>();
  const [open, setOpen] = useState<OpenDialog>();
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const show = async (wanted: OpenDialog): Promise<void> => {
    const end = beginPending();
    try {
      const BonusDialog = await load();
      setDialog(() => BonusDialog);
      setOpen(wanted);
    } catch (failure) {
      failedToLoad(failure);
    } finally {
      end();
    }
  };
  return { Dialog, open, show, close: () => setOpen(undefined) };
}
