import { STORAGE } from '@krapao/contract/constants';
import { hasInstallPrompt, onInstallPrompt } from '../../browser/install-prompt.ts';
import { createListeners } from '../../browser/listeners.ts';
import { readStored, writeStored } from '../../browser/storage.ts';
import { formatDate } from '../../format/date.ts';
import { isInAppBrowser, isInstalledApp, isIos } from '../../shared/open-tab.ts';

/** How this browser installs the app. `menu`: by its own menu, in a way that differs by browser. */
export type InstallMethod = 'installed' | 'prompt' | 'ios' | 'inApp' | 'menu';

/** What this device knows about the offer to install the app. */
type InstallState = {
  /** Number of days of use, counted up to the day of the offer. */
  days: number;
  lastDay: string;
  hasDeposit: boolean;
  refusals: number;
  /** Time of the last refusal. */
  refusedAt: number;
  isInstalled: boolean;
};

const FIRST_STATE: InstallState = {
  days: 0,
  lastDay: '',
  hasDeposit: false,
  refusals: 0,
  refusedAt: 0,
  isInstalled: false,
};
const OFFER_FROM_DAY = 3;
const REFUSALS_MAX = 2;
const REST_MS = 30 * 86_400_000;

const stateChanges = createListeners();

/** Subscribes to changes of {@link isInstallOffered}. */
export function onInstallChange(listener: () => void): () => void {
  const unsubscribe = [stateChanges.subscribe(listener), onInstallPrompt(listener)];
  return () => unsubscribe.forEach((end) => end());
}

function readState(): InstallState {
  try {
    const stored: unknown = JSON.parse(readStored(STORAGE.installOffer) ?? '{}');
    return { ...FIRST_STATE, ...(stored as Partial<InstallState>) };
  } catch {
    return FIRST_STATE;
  }
}

function change(changes: Partial<InstallState>): void {
  writeStored(STORAGE.installOffer, JSON.stringify({ ...readState(), ...changes }));
  stateChanges.notify();
}

/** Counts today as a day of use. */
export function recordVisit(): void {
  const { days, lastDay } = readState();
  const today = formatDate(Date.now());
  if (lastDay !== today && days < OFFER_FROM_DAY) change({ days: days + 1, lastDay: today });
}

export const recordDeposit = (): void => change({ hasDeposit: true });
export const recordInstalled = (): void => change({ isInstalled: true });
/** "Not now" rests for thirty days; the second one is permanent. */
export const recordRefusal = (): void => change({ refusals: readState().refusals + 1, refusedAt: Date.now() });

export function installMethod(): InstallMethod {
  if (isInstalledApp()) return 'installed';
  if (isInAppBrowser()) return 'inApp';
  if (hasInstallPrompt()) return 'prompt';
  return isIos() ? 'ios' : 'menu';
}

/** Whether the card is due: after the first credited deposit or from the third day of use on. */
export function isInstallOffered(): boolean {
  const { days, hasDeposit, refusals, refusedAt, isInstalled } = readState();
  const isResting = refusals >= REFUSALS_MAX || (refusals > 0 && Date.now() - refusedAt < REST_MS);
  const isDue = hasDeposit || days >= OFFER_FROM_DAY;
  return isDue && !isResting && !isInstalled && ['prompt', 'ios', 'inApp'].includes(installMethod());
}
