import { timingSafeEqual } from 'node:crypto';
import type { Language } from '@krapao/contract/languages';
import { hasPhoneLength, isInPhoneRanges, plainPhone, type Variant } from '@krapao/contract/rules';
import type { OtpState } from '@krapao/contract/states';
import { Refusal } from '../../platform/errors.ts';
import { hashToken } from '../../platform/ids.ts';
import type { OperatorData } from '../operator-data/index.ts';

export const CODE_LIFETIME_MS = 5 * 60_000;
export const RESEND_INTERVAL_MS = 60_000;
export const SENDS_WINDOW_MS = 60 * 60_000;
export const SENDS_MAX = 5;
/** An identifier that has verified a phone counts as known for this long. */
export const KNOWN_IDENTIFIER_LIFETIME_MS = 180 * 24 * 60 * 60_000;
export const TRIES_MAX = 5;
export const BLOCK_MS = 15 * 60_000;
export const VERIFIED_LIFETIME_MS = 30 * 60_000;
export const REF_LENGTH = 4;

/** Stored hash of a code. It includes the token: a six-digit code alone could be found by trying all of them. */
export const hashOtpCode = (token: string, code: string): Buffer => hashToken(`${token}:${code}`);

// The code is the only number of four or more digits in the message, so that phones can autofill it.
const CODE_LIFETIME_MINUTES = CODE_LIFETIME_MS / 60_000;
const MESSAGE_TEMPLATES: Record<Language, (code: string, ref: string) => string> = {
  th: (code, ref) => `รหัส OTP ของคุณคือ ${code} (Ref: ${ref}) ใช้ได้ภายใน ${CODE_LIFETIME_MINUTES} นาที ห้ามบอกรหัสนี้กับผู้อื่น`,
  la: (code, ref) => `ລະຫັດ OTP ຂອງທ່ານແມ່ນ ${code} (Ref: ${ref}) ໃຊ້ໄດ້ພາຍໃນ ${CODE_LIFETIME_MINUTES} ນາທີ ຫ້າມບອກລະຫັດນີ້ໃຫ້ຜູ້ອື່ນ`,
  en: (code, ref) =>
    `Your OTP is ${code} (Ref: ${ref}), valid for ${CODE_LIFETIME_MINUTES} minutes. Never tell it to anybody.`,
};

/** The text message with a code, in the app's language. */
export const otpMessage = (siteName: string, language: Language, code: string, ref: string): string =>
  `${siteName}: ${MESSAGE_TEMPLATES[language](code, ref)}`;

/** Stored state of a phone that decides whether another code may be sent. */
export type PhoneState = PhoneProof & { blockedUntil: Date | null };
/**
 * The last verification of a phone: expiry, network and token hash. `provedFrom` is null when it is valid only with the
 * token.
 */
export type PhoneProof = { verifiedUntil: Date | null; provedFrom: string | null; provedWith: Buffer | null };
/** A caller that sends a phone: their network and the token of a code, or ''. */
export type OtpCaller = { group: string; token: string };
/** Codes sent to a phone in the last hour and in the window of its daily limit. */
export type SendHistory = {
  lastAt: Date | null;
  inWindow: number;
  oldestInWindow: Date | null;
  inDay: number;
  oldestInDay: Date | null;
};
/** How many codes one phone gets in a longer window. */
export type DayLimit = { hits: number; windowSeconds: number };
export type SendVerdict =
  | { kind: 'send'; isFirstInWindow: boolean }
  | { kind: 'already-verified'; until: Date }
  | { kind: 'blocked' | 'soon'; retryAfterSeconds: number };

/**
 * End of this caller's verification of a phone; undefined when there is none. A caller with the token of the code may
 * use any network, because a phone changes networks.
 */
export function verifiedUntil(proof: PhoneProof, caller: OtpCaller, now: Date): Date | undefined {
  if (!proof.verifiedUntil || proof.verifiedUntil <= now) return undefined;
  const isProvedByCaller =
    proof.provedFrom === caller.group || (proof.provedWith?.equals(hashToken(caller.token)) ?? false);
  return isProvedByCaller ? proof.verifiedUntil : undefined;
}

/**
 * Decides whether a code may be sent to a phone now. A block takes precedence over the interval between sends: it lasts
 * longer.
 */
export function checkSend(
  phoneState: PhoneState,
  history: SendHistory,
  dayLimit: DayLimit,
  caller: OtpCaller,
  now: Date,
): SendVerdict {
  const provedUntil = verifiedUntil(phoneState, caller, now);
  if (provedUntil) return { kind: 'already-verified', until: provedUntil };
  if (phoneState.blockedUntil && phoneState.blockedUntil > now) {
    return { kind: 'blocked', retryAfterSeconds: secondsUntil(phoneState.blockedUntil.getTime(), now) };
  }
  if (history.inWindow >= SENDS_MAX && history.oldestInWindow) {
    const availableAtMs = history.oldestInWindow.getTime() + SENDS_WINDOW_MS;
    return { kind: 'blocked', retryAfterSeconds: secondsUntil(availableAtMs, now) };
  }
  if (history.inDay >= dayLimit.hits && history.oldestInDay) {
    const availableAtMs = history.oldestInDay.getTime() + dayLimit.windowSeconds * 1000;
    return { kind: 'blocked', retryAfterSeconds: secondsUntil(availableAtMs, now) };
  }
  const nextSendAtMs = (history.lastAt?.getTime() ?? Number.NEGATIVE_INFINITY) + RESEND_INTERVAL_MS;
  if (nextSendAtMs > now.getTime()) return { kind: 'soon', retryAfterSeconds: secondsUntil(nextSendAtMs, now) };
  return { kind: 'send', isFirstInWindow: history.inWindow === 0 };
}

export type StoredOtp = { state: OtpState; codeHash: Buffer; wrongTries: number; expiresAt: Date };
export type VerifyVerdict = 'right' | 'no_code' | 'wrong' | 'wrong_last_try' | VerifyRefusal;
export type VerifyRefusal = 'OTP_VERIFIED' | 'OTP_BLOCK' | 'OTP_NOT_EXIST' | 'OTP_EXPIRED';

/** Anything else guesses no code and spends no try. */
const COMPLETE_CODE = /^\d{6}$/;

/** Decides the outcome of a code typed for a token. */
export function checkCode(
  phoneState: PhoneState,
  otp: StoredOtp,
  attempt: { code: string; caller: OtpCaller },
  now: Date,
): VerifyVerdict {
  if (verifiedUntil(phoneState, attempt.caller, now)) return 'OTP_VERIFIED';
  if (phoneState.blockedUntil && phoneState.blockedUntil > now) return 'OTP_BLOCK';
  if (otp.state !== 'live') return 'OTP_NOT_EXIST';
  if (otp.expiresAt <= now) return 'OTP_EXPIRED';
  if (!COMPLETE_CODE.test(attempt.code)) return 'no_code';
  if (timingSafeEqual(otp.codeHash, hashOtpCode(attempt.caller.token, attempt.code))) return 'right';
  return otp.wrongTries + 1 >= TRIES_MAX ? 'wrong_last_try' : 'wrong';
}

/**
 * The two ranges of 100 numbers that contain a phone, starting at 00 and at 50. Any run of up to 50 adjacent numbers is
 * within one of them.
 */
export function numberRanges(phone: string): [string, string] {
  const hundredsOf = (offset: number): string =>
    String(Math.floor((Number(phone) + offset) / 100)).padStart(phone.length - 2, '0');
  return [`${hundredsOf(0)}00`, `${hundredsOf(50)}50`];
}

const secondsUntil = (momentMs: number, now: Date): number => Math.max(1, Math.ceil((momentMs - now.getTime()) / 1000));

/**
 * Parses a mobile number into the form in which phones are stored and compared.
 * @throws {Refusal} PHONE_NUMBER_REQUIRE_10_DIGIT (Thai variant, another length), INVALID_USER_INFO with `detail`
 *   PHONE_NOT_MOBILE for a number outside the operator's ranges
 */
export function parsePhone(typedPhone: string, variant: Variant, operatorData: OperatorData): string {
  const phone = plainPhone(typedPhone);
  if (!hasPhoneLength(phone, variant)) throw new Refusal('PHONE_NUMBER_REQUIRE_10_DIGIT');
  if (!isInPhoneRanges(phone, operatorData.setting('phoneRanges'))) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'PHONE_NOT_MOBILE' });
  }
  return phone;
}
