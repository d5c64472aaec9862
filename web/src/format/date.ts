/**
 * Times are shown as the clocks of Thailand and Laos tell them (UTC+7, no summer time), wherever the phone thinks it
 * is: they must agree with bank slips and with the days that the rules count by.
 */
const ZONE_MS = 7 * 3_600_000;

const two = (number: number): string => String(number).padStart(2, '0');

/** DD/MM/YYYY HH:mm:ss of an ISO text or a number of milliseconds; "-" when it is no time. */
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
