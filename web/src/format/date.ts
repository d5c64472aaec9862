/**
 * Times are displayed in Thai and Lao time (UTC+7, no summer time), regardless of the phone's zone: they must agree
 * with bank slips and with the days of the rules.
 */
const ZONE_MS = 7 * 3_600_000;

const two = (number: number): string => String(number).padStart(2, '0');

/** Formats an ISO text or milliseconds as DD/MM/YYYY HH:mm:ss; "-" for an invalid time. */
export function formatDateTime(at: string | number): string {
  const date = new Date(new Date(at).getTime() + ZONE_MS);
  if (Number.isNaN(date.getTime())) return '-';
  const day = [two(date.getUTCDate()), two(date.getUTCMonth() + 1), date.getUTCFullYear()].join('/');
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  return `${day} ${time}`;
}

/** DD/MM/YYYY. */
export const formatDate = (at: string | number): string => formatDateTime(at).split(' ')[0] ?? '-';

/** HH:mm. */
export const formatTime = (at: string | number): string => formatDateTime(at).slice(11, 16);
