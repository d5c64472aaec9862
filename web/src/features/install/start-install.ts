import { onMemberEvent } from '../../api/query/member-events.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import type * as bars from './bars.tsx';
import { isInstallOffered, onInstallChange, recordDeposit, recordVisit } from './install-state.ts';
import { watchUpdates } from './update.ts';

type Bars = typeof bars;

let isStarted = false;

/** Watches for a new build and for the time to offer the installation; the code of the bars loads when one is due. */
export function startInstall(): void {
  if (isStarted) return;
  isStarted = true;
  let loading: Promise<Bars> | undefined;
  const load = async (): Promise<Bars> => {
    const [loaded] = await Promise.all([import('./bars.tsx'), loadNamespaces(['install'])]);
    return loaded;
  };
  const show = async (change: (loaded: Bars) => void): Promise<void> => {
    try {
      loading ??= load();
      change(await loading);
    } catch {
      // Without its chunk nothing is offered; the next change loads it again.
      loading = undefined;
    }
  };
  const offerInstall = (): void => {
    if (isInstallOffered()) void show(({ mountOnce }) => mountOnce());
  };
  recordVisit();
  onInstallChange(offerInstall);
  onMemberEvent(({ kind, state }) => {
    if (kind === 'deposit' && state === 'SUCCESS') recordDeposit();
  });
  offerInstall();
  void watchUpdates((isWaiting) => {
    if (isWaiting || loading) void show(({ setUpdate }) => setUpdate(isWaiting));
  });
}
