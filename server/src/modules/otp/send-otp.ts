import type { Language } from '@krapao/contract/languages';
import type { SmsOutcome, SmsSender } from '../../adapters/sms.ts';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { hashToken, newReference, newToken, sixDigits } from '../../platform/ids.ts';
import { type Clock, later } from '../../platform/time.ts';
import type { OperatorData } from '../operator-data/index.ts';
import {
  CODE_LIFETIME_MS,
  hashOtpCode,
  checkSend,
  otpMessage,
  type OtpCaller,
  REF_LENGTH,
  RESEND_INTERVAL_MS,
  SENDS_WINDOW_MS,
  type SendVerdict,
} from './otp.ts';
import { deleteOtp, insertOtp, lockPhone, activateOtp, selectHistory } from './queries.ts';
import { enforceSendLimits } from './send-limits.ts';

export type SendDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  /** Undefined: the outside file has no SMS gateway. */
  sms: SmsSender | undefined;
  /** Called with the reason when the gateway did not accept a message. The message is not passed. */
  onSendFailure: (reason: string) => void;
};
const NO_GATEWAY: SmsOutcome = { sent: false, reason: 'the outside file has no sms', isFinal: true };

export type SentOtp = { otpRef: string; otpToken: string; code: 'OTP_SENT' | 'OTP_VERIFIED'; expiresAt: string };

/**
 * Sends a one-time code, unless this caller verified the phone recently. The row of the code is inserted before the
 * message is sent, so that concurrent requests can't both send. The code becomes valid after the gateway has accepted
 * the message. Otherwise the row is deleted: the earlier code stays valid and a retry is free.
 * @throws {Refusal} OTP_BLOCK, REQUEST_LIMIT_1MIN, OTP_SEND_FAIL
 */
export async function sendOtp(
  deps: SendDeps,
  operatorData: OperatorData,
  phone: string,
  options: { caller: Caller; device: string | undefined; language: Language; otpToken: string },
): Promise<SentOtp> {
  const { database, clock } = deps;
  const { caller } = options;
  const token = newToken();
  const tokenHash = hashToken(token);
  const code = sixDigits();
  const otpRef = newReference(REF_LENGTH);
  const newOtp = { tokenHash, ref: otpRef, codeHash: hashOtpCode(token, code) };
  const verdict = await reserveOtp(deps, operatorData, phone, { group: caller.group, token: options.otpToken }, newOtp);
  if (verdict.kind === 'already-verified') {
    return { otpRef: '', otpToken: '', code: 'OTP_VERIFIED', expiresAt: verdict.until.toISOString() };
  }
  if (verdict.kind !== 'send') {
    const errorCode = verdict.kind === 'blocked' ? 'OTP_BLOCK' : 'REQUEST_LIMIT_1MIN';
    throw new Refusal(errorCode, { retryAfterSeconds: verdict.retryAfterSeconds });
  }
  try {
    await enforceSendLimits(deps, operatorData, { ...options, phone, isFirstInWindow: verdict.isFirstInWindow });
    const text = otpMessage(operatorData.setting('info').name, options.language, code, otpRef);
    const outcome = (await deps.sms?.send(phone, text)) ?? NO_GATEWAY;
    if (!outcome.sent) {
      deps.onSendFailure(outcome.reason);
      throw new Refusal('OTP_SEND_FAIL');
    }
  } catch (error) {
    await deleteOtp(database, tokenHash);
    throw error;
  }
  const expiresAt = later(clock.now(), CODE_LIFETIME_MS);
  await database.tx(async (tx) => {
    await lockPhone(tx, phone);
    await activateOtp(tx, tokenHash, phone, expiresAt);
  });
  return { otpRef, otpToken: token, code: 'OTP_SENT', expiresAt: expiresAt.toISOString() };
}

async function reserveOtp(
  { database, clock }: SendDeps,
  operatorData: OperatorData,
  phone: string,
  otpCaller: OtpCaller,
  otp: { tokenHash: Buffer; ref: string; codeHash: Buffer },
): Promise<SendVerdict> {
  const dayLimit = operatorData.limit('otp.send.phone.day');
  return database.tx(async (tx) => {
    const phoneState = await lockPhone(tx, phone);
    const now = clock.now();
    const history = await selectHistory(tx, phone, {
      since: later(now, -SENDS_WINDOW_MS),
      daySince: later(now, -dayLimit.windowSeconds * 1000),
      until: later(now, RESEND_INTERVAL_MS),
    });
    const verdict = checkSend(phoneState, history, dayLimit, otpCaller, now);
    if (verdict.kind === 'send') {
      await insertOtp(tx, { ...otp, phone, createdAt: now, expiresAt: later(now, CODE_LIFETIME_MS) });
    }
    return verdict;
  });
}
