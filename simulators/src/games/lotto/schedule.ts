/** A draw. Times are milliseconds since 1970. `planned`: a result ordered by the control API. */
export type Draw = {
  number: number;
  drawAt: number;
  planned: string | null;
  result: string | null;
  drawnAt: number | null;
};

const PERIOD_MS = 3 * 60_000;
/** Time between the end of sales and the draw. */
const CLOSED_MS = 20_000;
/** Minimum sales period of a draw; with less time the draw moves to the next slot. */
const SOLD_MS = 45_000;

/** Time of the next draw: the next multiple of three minutes that leaves time to bet. Milliseconds since 1970. */
export function nextDrawAt(now: number): number {
  return Math.ceil((now + SOLD_MS + CLOSED_MS) / PERIOD_MS) * PERIOD_MS;
}

/** End of sales of a draw. */
export function closesAt({ drawAt }: Draw): number {
  return drawAt - CLOSED_MS;
}

/** Whether a draw is on sale now. */
export function isSold(draw: Draw): boolean {
  return draw.result === null && Date.now() < closesAt(draw);
}
