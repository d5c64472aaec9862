/** A draw. Times are milliseconds since 1970; `planned` is the result that the control asked for. */
export type Draw = {
  number: number;
  drawAt: number;
  planned: string | null;
  result: string | null;
  drawnAt: number | null;
};

const PERIOD_MS = 3 * 60_000;
/** So long before a draw nothing is sold any more. */
const CLOSED_MS = 20_000;
/** A draw is sold for at least so long; what would be shorter waits for the next stroke of the clock. */
const SOLD_MS = 45_000;

/** When the next draw is: on the clock's next stroke of three minutes that leaves time to bet. Milliseconds since 1970. */
export function nextDrawAt(now: number): number {
  return Math.ceil((now + SOLD_MS + CLOSED_MS) / PERIOD_MS) * PERIOD_MS;
}

/** Until when bets on a draw are taken. */
export function closesAt({ drawAt }: Draw): number {
  return drawAt - CLOSED_MS;
}

/** Whether bets on a draw are taken at this moment. */
export function isSold(draw: Draw): boolean {
  return draw.result === null && Date.now() < closesAt(draw);
}
