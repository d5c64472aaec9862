import { call } from '../api/call.ts';
import { ApiFailure } from '../api/errors.ts';
import { fetchOperatorData } from '../api/operator-data.ts';

/** A sent code: its verification token, the reference in its message, and the sending time (device time in ms). */
export type SentCode = { otpToken: string; otpRef: string; sentAt: number };

/**
 * Sends a one-time code if the site requires one.
 * @param earlierCode earlier code for this phone in this browser, which may already be verified
 * @returns undefined if no code is needed: not required, or the phone was verified recently
 */
export async function sendCode(phone: string, earlierCode: SentCode | undefined): Promise<SentCode | undefined> {
  const { registerOTP } = await fetchOperatorData('GET /api/lookup/registerOTP');
  if (!registerOTP) return undefined;
  const body = { phoneNumber: phone, otpToken: earlierCode?.otpToken ?? '' };
  const { code, otpToken, otpRef } = await call('POST /api/otp/send', { body });
  return code === 'OTP_VERIFIED' ? undefined : { otpToken, otpRef, sentAt: Date.now() };
}

/** Like `sendCode`, but returns the earlier code if it was sent less than a minute ago and is still valid. */
export async function sendOrReuseCode(phone: string, earlierCode: SentCode | undefined): Promise<SentCode | undefined> {
  try {
    return await sendCode(phone, earlierCode);
  } catch (failure) {
    if (earlierCode && failure instanceof ApiFailure && failure.message === 'REQUEST_LIMIT_1MIN') return earlierCode;
    throw failure;
  }
}
