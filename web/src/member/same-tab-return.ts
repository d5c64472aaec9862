import { refreshBalancesSince } from './wallet.ts';
import { storedToken } from '../api/session.ts';

/** In the history's own entry, so that only going back to it opens the dialog again. */
const KEY = 'game';

/** The app is about to be left for a game in the same tab. */
export function rememberGame(code: string): void {
  history.replaceState({ ...history.state, [KEY]: code }, '');
}

/** The code of the game that this entry of the history was left for, once; undefined when it was left for none. */
export function takeRememberedGame(): string | undefined {
  const { [KEY]: code, ...rest } = (history.state ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string') return undefined;
  history.replaceState(rest, '');
  return code;
}

/** A return fires more than one event, of window and of tab. */
const ONE_RETURN_MS = 1_000;

let isFollowed = false;

/** From the first game on: a member who returns to the app wants to see the balance. */
export function refreshOnReturn(): void {
  if (isFollowed) return;
  isFollowed = true;
  let returnedAt = -Infinity;
  const onReturn = (): void => {
    if (document.visibilityState !== 'visible' || !storedToken()) return;
    const now = performance.now();
    if (now - returnedAt > ONE_RETURN_MS) returnedAt = now;
    void refreshBalancesSince(returnedAt);
  };
  document.addEventListener('visibilitychange', onReturn);
  // Beside each other on a wide screen, neither of two windows is ever hidden.
  addEventListener('focus', onReturn);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    takeRememberedGame();
    onReturn();
  });
}
