import { refreshBalancesSince } from './wallet.ts';
import { storedToken } from '../api/session.ts';

/** Key in `history.state` of the entry from which a game was opened; only Back to that entry reopens the dialog. */
const GAME_STATE_KEY = 'game';

/** Stores the game's code in the history entry. Call this before a game opens in the same tab. */
export function rememberGame(code: string): void {
  history.replaceState({ ...history.state, [GAME_STATE_KEY]: code }, '');
}

/** Returns the stored game code of the current history entry and deletes it; undefined if there is none. */
export function takeRememberedGame(): string | undefined {
  const { [GAME_STATE_KEY]: code, ...rest } = (history.state ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string') return undefined;
  history.replaceState(rest, '');
  return code;
}

/** One return to the app fires several events on window and document; later ones within this time are ignored. */
const RETURN_DEBOUNCE_MS = 1_000;

let isListening = false;

/** From the first opened game on, refreshes the balances whenever the member returns to the app. */
export function refreshOnReturn(): void {
  if (isListening) return;
  isListening = true;
  let returnedAt = -Infinity;
  const onReturn = (): void => {
    if (document.visibilityState !== 'visible' || !storedToken()) return;
    const now = performance.now();
    if (now - returnedAt > RETURN_DEBOUNCE_MS) returnedAt = now;
    void refreshBalancesSince(returnedAt);
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
