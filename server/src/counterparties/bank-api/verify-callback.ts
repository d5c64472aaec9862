import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { RawBody } from '../../platform/parse-json.ts';

/** A raw callback of the bank. */
export type BankCallback = { headers: Readonly<Record<string, string | string[] | undefined>>; body: RawBody };

const HEADER = 'x-bank-signature';
const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i;
const SECONDS_APART_MAX = 300;

/**
 * Whether the bank sent this recently: `t=SECONDS,v1=HEX` over the raw bytes. An old signature is refused, because it
 * may be a replay.
 */
export function verifyCallback(
  secret: string,
  clock: Clock,
  { headers, body }: BankCallback,
): 'VALID' | 'KEY_MISSING' | 'KEY_INVALID' {
  const header = headers[HEADER];
  if (header === undefined || header === '') return 'KEY_MISSING';
  const [, seconds = '', given = ''] = SIGNATURE.exec(typeof header === 'string' ? header : '') ?? [];
  const apart = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  const isRight = given !== '' && timingSafeEqual(Buffer.from(given, 'hex'), expected);
  return isRight && apart <= SECONDS_APART_MAX ? 'VALID' : 'KEY_INVALID';
}
