import { STORAGE } from '@krapao/contract/constants';
import { logFailure } from '../../api/errors.ts';
import { launchesKey, storedToken } from '../../api/session.ts';
import { refreshBalances, refreshBalancesSince } from '../../member/wallet.ts';

/** Key in `history.state` of the entry from which a game was opened; only Back to that entry reopens the dialog. */
const GAME_STATE_KEY = 'game';

/** Stores the game's code in the history entry. Call this before a game opens in the same tab. */
export function rememberGame(code: string): void {
  history.replaceState({ ...history.state, [GAME_STATE_KEY]: code }, '');
}

/** Returns the game that was open in this tab before, once; undefined if there is none. */
export function takeRememberedGame(): string | undefined {
  const { [GAME_STATE_KEY]: code, ...rest } = (history.state ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string') return takeGameOfTab();
  history.replaceState(rest, '');
  return code;
}

/** The game for which another tab opened this one, unless another tab has handled the return. */
function takeGameOfTab(): string | undefined {
  try {
    const [code, key] = sessionStorage.getItem(STORAGE.launches)?.split(' ') ?? [];
    sessionStorage.removeItem(STORAGE.launches);
    return key && storedLaunches()?.includes(`"${key}"`) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** One return to the app fires several events on window and document; later ones within this time are ignored. */
const RETURN_DEBOUNCE_MS = 1_000;

let isListening = false;

/** Games that this session opened since the last return, as `launches.ts` stores them; null without any. */
function storedLaunches(): string | null {
  try {
    return localStorage.getItem(launchesKey());
  } catch {
    return null;
  }
}

/** Refreshes the balances after a page load, and moves the money of games that any tab opened before it to the wallet. */
export function resumeReturn(): void {
  // A page that loads in the background is no return yet.
  if (document.hidden) return refreshOnReturn();
  const launches = storedLaunches();
  if (launches) void refreshBalances().then(() => moveMoneyHome(launches));
}

/** Moves the money of opened games to the wallet, if the member has chosen that. Else, or on a failure, a press does. */
const moveMoneyHome = (launches: string): Promise<void> =>
  import('./bring-home.ts')
    .then(({ bringLaunchesHome }) => bringLaunchesHome(launches))
    .catch((failure: unknown) => logFailure('money not moved home', failure));

/** From the first opened game on, refreshes the balances whenever the member returns to the app. */
export function refreshOnReturn(): void {
  if (isListening) return;
  isListening = true;
  let returnedAt = -Infinity;
  const onReturn = (): void => {
    if (document.visibilityState !== 'visible' || !storedToken()) return;
    const now = performance.now();
    const isNewReturn = now - returnedAt > RETURN_DEBOUNCE_MS;
    if (isNewReturn) returnedAt = now;
    // Games opened after this moment belong to the next return.
    const launches = isNewReturn ? storedLaunches() : null;
    void refreshBalancesSince(returnedAt).then(() => (launches ? moveMoneyHome(launches) : undefined));
  };
  document.addEventListener('visibilitychange', onReturn);
  // Covers two windows side by side: neither becomes hidden, so `visibilitychange` never fires.
  addEventListener('focus', onReturn);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    takeRememberedGame();
    onReturn();
  });
}
