import { serverNow } from '../api/call.ts';
import { formatDate, formatTime } from '../format/date.ts';
import type { GameAccount } from './wallet.ts';

/** When a game in maintenance opens; undefined if it is open, or if the time is unknown or over. */
export function openingTime({ inMaintenance, closedUntil }: GameAccount): string | undefined {
  const now = serverNow();
  return inMaintenance && closedUntil && Date.parse(closedUntil) > now ? formatShortTime(closedUntil, now) : undefined;
}

/** Formats a time as HH:mm on the day of `nowMs`, as DD/MM HH:mm in its year, else as DD/MM/YYYY HH:mm. */
export function formatShortTime(at: string | number, nowMs: number): string {
  const [date, today] = [formatDate(at), formatDate(nowMs)];
  const shortDate = date.slice(-4) === today.slice(-4) ? date.slice(0, 5) : date;
  return date === today ? formatTime(at) : `${shortDate} ${formatTime(at)}`;
}
