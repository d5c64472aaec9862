import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CallbackCall } from '../port.ts';

const TOLERANCE_SECONDS = 300;
const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;
/** More than a rotation of secrets needs; bounds the work per callback. */
const SIGNATURES_MAX = 8;

/**
 * Checks the signature of a callback: hex HMAC-SHA256 of `timestamp.rawbody`, or several, separated by commas, during a
 * rotation of secrets, sent within the last five minutes.
 * @param secret base64 of the key
 * @returns what is wrong with it, or undefined when it is valid
 */
export function checkSignature(
  { headers, body }: CallbackCall,
  secret: string,
  now: Date,
): 'KEY_MISSING' | 'KEY_INVALID' | undefined {
  const timestamp = headers['ww-signature-timestamp'];
  const signatures = headers['ww-signature'];
  if (!timestamp || !signatures) return 'KEY_MISSING';
  if (typeof timestamp !== 'string' || typeof signatures !== 'string' || !TIMESTAMP.test(timestamp)) {
    return 'KEY_INVALID';
  }
  const age = Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp));
  const expected = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.`).update(body).digest();
  const given = signatures.split(',', SIGNATURES_MAX).map((text) => text.trim());
  const fitting = given.filter((text) => SIGNATURE.test(text) && timingSafeEqual(Buffer.from(text, 'hex'), expected));
  return age <= TOLERANCE_SECONDS && fitting.length > 0 ? undefined : 'KEY_INVALID';
}
