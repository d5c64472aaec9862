import { pbkdf2Sync } from 'node:crypto';
import type { Fields } from './game-server.ts';

const TOLERANCE_S = 300;

function sortedEntries(fields: Fields): [string, string][] {
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Signed text of several protocols: all fields sorted by name, as `name=value` joined by `&`, not encoded. */
export function sortedText(fields: Fields): string {
  return sortedEntries(fields)
    .map((pair) => pair.join('='))
    .join('&');
}

/** Like {@link sortedText}, form-encoded. */
export function sortedQuery(fields: Fields): string {
  return new URLSearchParams(sortedEntries(fields)).toString();
}

/** Signature of a body: base64 of PBKDF2 with HMAC-SHA512: 1000 rounds, 64 bytes, the secret as salt. */
export function pbkdf2Signature(body: string, secret: string): string {
  return pbkdf2Sync(body, secret, 1000, 64, 'sha512').toString('base64');
}

/** Whether a time in seconds since 1970 is close to the current time. */
export function isInTime(seconds: string | undefined): boolean {
  return /^\d{1,12}$/.test(seconds ?? '') && Math.abs(Date.now() / 1000 - Number(seconds)) <= TOLERANCE_S;
}
