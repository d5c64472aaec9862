import type { Language } from '@krapao/contract/languages';
import { type Clock, later } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import { hashToken, newReference, newToken, sixDigits } from '../../platform/ids.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SmsSender } from '../../adapters/sms.ts';
import type { SiteConfig } from '../lookup/index.ts';
import { limitSend } from './send-limits.ts';
import {
  CODE_LIFE_MS,
  hashCode,
  checkSend,
  otpMessage,
  type OtpCaller,
  REF_LETTERS,
  RESEND_MS,
  SENDS_WINDOW_MS,
  type SendVerdict,
  dialled,
} from './otp.ts';
import { deleteOtp, insertOtp, lockPhone, activateOtp, selectHistory } from './queries.ts';

export type SendDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  sms: SmsSender;
  /** Called with the reason why the gateway did not accept a message; never with the message. */
  onTrouble: (reason: string) => void;
};
export type SentOtp = { otpRef: string; otpToken: string; code: 'OTP_SENT' | 'OTP_VERIFIED'; expiresAt: string };

/**
 * Sends a one-time code, unless this caller verified the phone recently. The row of the code exists before the message
 * is sent, so that no two requests send concurrently; it becomes valid only after the gateway accepted the message, and
 * is deleted otherwise: then the phone's earlier code stays valid and a retry is free.
 * @throws {Refusal} OTP_BLOCK, REQUEST_LIMIT_1MIN, OTP_SEND_FAIL
 */
export async function sendOtp(
  deps: SendDeps,
  data: SiteConfig,
  phone: string,
  by: { caller: Caller; device: string | undefined; language: Language; otpToken: string },
): Promise<SentOtp> {
  const { database, clock } = deps;
  const { caller } = by;
  const token = newToken();
  const tokenHash = hashToken(token);
  const code = sixDigits();
  const otpRef = newReference(REF_LETTERS);
  const kept = { tokenHash, ref: otpRef, codeHash: hashCode(token, code) };
  const verdict = await reserve(deps, data, phone, { group: caller.group, token: by.otpToken }, kept);
  if (verdict.kind === 'verified') {
    return { otpRef: '', otpToken: '', code: 'OTP_VERIFIED', expiresAt: verdict.until.toISOString() };
  }
  if (verdict.kind !== 'send') {
    const refusal = verdict.kind === 'blocked' ? 'OTP_BLOCK' : 'REQUEST_LIMIT_1MIN';
    throw new Refusal(refusal, { retryAfterSeconds: verdict.retryAfterSeconds });
  }
  try {
    await limitSend(deps, data, { ...by, phone, isFirstInWindow: verdict.isFirstInWindow });
    const outcome = await deps.sms.send(
      dialled(phone),
      otpMessage(data.setting('info').name, by.language, code, otpRef),
    );
    if (!outcome.sent) {
      deps.onTrouble(outcome.reason);
      throw new Refusal('OTP_SEND_FAIL');
    }
  } catch (error) {
    await deleteOtp(database, tokenHash);
    throw error;
  }
  const expiresAt = later(clock.now(), CODE_LIFE_MS);
  await database.tx(async (tx) => {
    await lockPhone(tx, phone);
    await activateOtp(tx, tokenHash, phone, expiresAt);
  });
  return { otpRef, otpToken: token, code: 'OTP_SENT', expiresAt: expiresAt.toISOString() };
}

async function reserve(
  { database, clock }: SendDeps,
  data: SiteConfig,
  phone: string,
  by: OtpCaller,
  otp: { tokenHash: Buffer; ref: string; codeHash: Buffer },
): Promise<SendVerdict> {
  const day = data.limit('otp.send.phone.day');
  return database.tx(async (tx) => {
    const state = await lockPhone(tx, phone);
    const now = clock.now();
    const history = await selectHistory(tx, phone, {
      since: later(now, -SENDS_WINDOW_MS),
      daySince: later(now, -day.windowSeconds * 1000),
      until: later(now, RESEND_MS),
    });
    const verdict = checkSend(state, history, day, by, now);
    if (verdict.kind === 'send') {
      await insertOtp(tx, { ...otp, phone, createdAt: now, expiresAt: later(now, CODE_LIFE_MS) });
    }
    return verdict;
  });
}
