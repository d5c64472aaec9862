import { refreshBalancesSince } from './wallet.ts';
import { storedToken } from '../api/session.ts';

/** Key in the history entry's state, so that only going back to it reopens the dialog. */
const KEY = 'game';

/** Call before leaving the app for a game in the same tab. */
export function rememberGame(code: string): void {
  history.replaceState({ ...history.state, [KEY]: code }, '');
}

/** Takes the code of the game for which this history entry was left, once; undefined without one. */
export function takeRememberedGame(): string | undefined {
  const { [KEY]: code, ...rest } = (history.state ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string') return undefined;
  history.replaceState(rest, '');
  return code;
}

/** A return fires several events, of window and document. */
const ONE_RETURN_MS = 1_000;

let isFollowed = false;

/** After the first game: refreshes the balances when the member returns to the app. */
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
  // Side by side, neither of two windows is ever hidden.
  addEventListener('focus', onReturn);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    takeRememberedGame();
    onReturn();
  });
}
