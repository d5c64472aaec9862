import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { RawBody } from '../../platform/parse-json.ts';
import type { BackendCallback } from './port.ts';

export type SigningSettings = { key: string; secret: string };

const NAMES = { key: 'x-chat-key', timestamp: 'x-chat-timestamp', signature: 'x-chat-signature' } as const;
const SECONDS_APART_MAX = 300;

const signatureOf = (secret: string, seconds: string, body: RawBody): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();

/** The headers that authenticate a body and its time. */
export function signedHeaders({ key, secret }: SigningSettings, clock: Clock, body: string): Record<string, string> {
  const seconds = String(Math.floor(clock.now().getTime() / 1000));
  return {
    [NAMES.key]: key,
    [NAMES.timestamp]: seconds,
    [NAMES.signature]: signatureOf(secret, seconds, body).toString('hex'),
  };
}

/** Whether the backend sent this recently. An old signature is refused, because it may be a replay. */
export function verifySignature(
  { key, secret }: SigningSettings,
  clock: Clock,
  { headers, body }: BackendCallback,
): 'VALID' | 'KEY_MISSING' | 'KEY_INVALID' {
  const given = { key: headers[NAMES.key], seconds: headers[NAMES.timestamp], signature: headers[NAMES.signature] };
  if (Object.values(given).some((header) => header === undefined || header === '')) return 'KEY_MISSING';
  const seconds = String(given.seconds);
  const signature = String(given.signature);
  const isWellFormed = /^\d{1,12}$/.test(seconds) && /^[0-9a-f]{64}$/i.test(signature);
  const apart = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  if (!isWellFormed || given.key !== key || apart > SECONDS_APART_MAX) return 'KEY_INVALID';
  const isRight = timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(secret, seconds, body));
  return isRight ? 'VALID' : 'KEY_INVALID';
}
