/**
 * A request to play: the tab opened for the game, if any, and the amount to transfer (0: none). `choose`: the member
 * first chooses an amount.
 */
export type QuickPlay = { tab: Window | undefined; amount: number } | 'choose';

let requested: { code: string; quickPlay: QuickPlay } | undefined;

/** Requests to play a game, before navigating to the home page. */
export function requestQuickPlay(code: string, quickPlay: QuickPlay): void {
  requested = { code, quickPlay };
}

/** The request of another page to play this game, once. */
export function takeQuickPlay(code: string): QuickPlay | undefined {
  const quickPlay = requested?.code === code ? requested.quickPlay : undefined;
  requested = undefined;
  return quickPlay;
}
