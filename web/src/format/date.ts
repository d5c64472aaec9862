/**
 * Times are displayed in Thai and Lao time (UTC+7, no daylight saving time), regardless of the device's time zone: they
 * must match bank slips and the calendar days in rules.
 */
const TIME_ZONE_OFFSET_MS = 7 * 3_600_000;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Formats ISO text or milliseconds as DD/MM/YYYY HH:mm:ss; "-" for an invalid time. */
export function formatDateTime(at: string | number): string {
  const date = new Date(new Date(at).getTime() + TIME_ZONE_OFFSET_MS);
  if (Number.isNaN(date.getTime())) return '-';
  const dateText = [twoDigits(date.getUTCDate()), twoDigits(date.getUTCMonth() + 1), date.getUTCFullYear()].join('/');
  const timeText = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(':');
  return `${dateText} ${timeText}`;
}

/** Formats a time as DD/MM/YYYY. */
export const formatDate = (at: string | number): string => formatDateTime(at).split(' ')[0] ?? '-';

/** Formats a time as HH:mm. */
export const formatTime = (at: string | number): string => formatDateTime(at).slice(11, 16);
