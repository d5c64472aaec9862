import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';

/** What came to a callback address of ours, raw: signatures are over bytes. */
export type PushCall = { headers: Readonly<Record<string, string | string[] | undefined>>; body: string };

const HEADER = 'x-bank-signature';
const FORM = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;
/** Older ones, and ones of the future, are replays or clocks gone wrong. */
const AGE_MAX_SECONDS = 300;

/** Whether the bank made this push, lately: HMAC-SHA256 over time stamp and raw body, compared in constant time. */
export function judgeBankPush(
  secret: string,
  clock: Clock,
  { headers, body }: PushCall,
): 'GENUINE' | 'KEY_MISSING' | 'KEY_INVALID' {
  const header = headers[HEADER];
  if (header === undefined || header === '') return 'KEY_MISSING';
  const [, seconds, given] = FORM.exec(String(header)) ?? [];
  if (seconds === undefined || given === undefined) return 'KEY_INVALID';
  const expected = createHmac('sha256', secret).update(`${seconds}.${body}`).digest();
  const isSigned = timingSafeEqual(Buffer.from(given, 'hex'), expected);
  const age = Math.abs(Math.floor(clock.now().getTime() / 1_000) - Number(seconds));
  return isSigned && age <= AGE_MAX_SECONDS ? 'GENUINE' : 'KEY_INVALID';
}
