import { timingSafeEqual } from 'node:crypto';
import type { Language } from '@krapao/contract/languages';
import type { OtpState } from '@krapao/contract/states';
import { hashToken } from '../../platform/ids.ts';
import { hasPhoneLength, isInPhoneRanges, plainPhone, type Variant } from '@krapao/contract/rules';
import { Refusal } from '../../platform/errors.ts';
import type { SiteConfig } from '../lookup/index.ts';

export const CODE_LIFE_MS = 5 * 60_000;
export const RESEND_MS = 60_000;
export const SENDS_WINDOW_MS = 60 * 60_000;
export const SENDS_MAX = 5;
/** Who has proved a phone counts as known for this long. */
export const KNOWN_IDENTIFIER_MS = 180 * 24 * 60 * 60_000;
export const TRIES_MAX = 5;
export const BLOCK_MS = 15 * 60_000;
export const VERIFIED_MS = 30 * 60_000;
export const REF_LETTERS = 4;

/** What is stored of a code. The token is part of it: six digits alone would be found by trying all of them. */
export const hashCode = (token: string, code: string): Buffer => hashToken(`${token}:${code}`);

// The code is the only number of four digits or more in it, so that phones offer to fill it in.
const LIFE_MINUTES = CODE_LIFE_MS / 60_000;
const MESSAGES: Record<Language, (code: string, ref: string) => string> = {
  th: (code, ref) => `รหัส OTP ของคุณคือ ${code} (Ref: ${ref}) ใช้ได้ภายใน ${LIFE_MINUTES} นาที ห้ามบอกรหัสนี้กับผู้อื่น`,
  la: (code, ref) => `ລະຫັດ OTP ຂອງທ່ານແມ່ນ ${code} (Ref: ${ref}) ໃຊ້ໄດ້ພາຍໃນ ${LIFE_MINUTES} ນາທີ ຫ້າມບອກລະຫັດນີ້ໃຫ້ຜູ້ອື່ນ`,
  en: (code, ref) => `Your OTP is ${code} (Ref: ${ref}), valid for ${LIFE_MINUTES} minutes. Never tell it to anybody.`,
};

/** The text message with a code, in the language that the app was in. */
export const otpMessage = (siteName: string, language: Language, code: string, ref: string): string =>
  `${siteName}: ${MESSAGES[language](code, ref)}`;

/** Everything about a phone that decides whether another code may go out. */
export type PhoneState = PhoneProof & { blockedUntil: Date | null };
/**
 * The last proof of a phone: its expiry, network and token of the code. `provedFrom` is null when it is valid only with
 * the token.
 */
export type PhoneProof = { verifiedUntil: Date | null; provedFrom: string | null; provedWith: Buffer | null };
/** Who comes with a phone: where they call from, and the token of a code, when they have one. */
export type OtpCaller = { group: string; token: string };
/** Codes that went to a phone in the last hour, and in the window of its daily limit. */
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
  | { kind: 'verified'; until: Date }
  | { kind: 'blocked' | 'soon'; retryAfterSeconds: number };

/**
 * Until when a phone counts as proved by this caller; undefined when it doesn't. A caller with the token of the code
 * may call from anywhere: a phone changes networks.
 */
export function verifiedUntil(proof: PhoneProof, by: OtpCaller, now: Date): Date | undefined {
  if (!proof.verifiedUntil || proof.verifiedUntil <= now) return undefined;
  const isTheirs = proof.provedFrom === by.group || (proof.provedWith?.equals(hashToken(by.token)) ?? false);
  return isTheirs ? proof.verifiedUntil : undefined;
}

/** Whether a code may be sent to a phone now. A block outranks the minute between two sends: it lasts longer. */
export function checkSend(
  phone: PhoneState,
  history: SendHistory,
  day: DayLimit,
  by: OtpCaller,
  now: Date,
): SendVerdict {
  const until = verifiedUntil(phone, by, now);
  if (until) return { kind: 'verified', until };
  if (phone.blockedUntil && phone.blockedUntil > now) {
    return { kind: 'blocked', retryAfterSeconds: secondsUntil(phone.blockedUntil.getTime(), now) };
  }
  if (history.inWindow >= SENDS_MAX && history.oldestInWindow) {
    const free = history.oldestInWindow.getTime() + SENDS_WINDOW_MS;
    return { kind: 'blocked', retryAfterSeconds: secondsUntil(free, now) };
  }
  if (history.inDay >= day.hits && history.oldestInDay) {
    const free = history.oldestInDay.getTime() + day.windowSeconds * 1000;
    return { kind: 'blocked', retryAfterSeconds: secondsUntil(free, now) };
  }
  const next = (history.lastAt?.getTime() ?? Number.NEGATIVE_INFINITY) + RESEND_MS;
  if (next > now.getTime()) return { kind: 'soon', retryAfterSeconds: secondsUntil(next, now) };
  return { kind: 'send', isFirstInWindow: history.inWindow === 0 };
}

export type StoredOtp = { state: OtpState; codeHash: Buffer; wrongTries: number; expiresAt: Date };
export type VerifyVerdict = 'right' | 'wrong' | 'wrong for the last time' | VerifyRefusal;
export type VerifyRefusal = 'OTP_VERIFIED' | 'OTP_BLOCK' | 'OTP_NOT_EXIST' | 'OTP_EXPIRED';

/** The result of a code typed for a token. */
export function checkCode(
  phone: PhoneState,
  otp: StoredOtp,
  typed: { code: string; by: OtpCaller },
  now: Date,
): VerifyVerdict {
  if (verifiedUntil(phone, typed.by, now)) return 'OTP_VERIFIED';
  if (phone.blockedUntil && phone.blockedUntil > now) return 'OTP_BLOCK';
  if (otp.state !== 'live') return 'OTP_NOT_EXIST';
  if (otp.expiresAt <= now) return 'OTP_EXPIRED';
  if (timingSafeEqual(otp.codeHash, hashCode(typed.by.token, typed.code))) return 'right';
  return otp.wrongTries + 1 >= TRIES_MAX ? 'wrong for the last time' : 'wrong';
}

/**
 * The two ranges of 100 numbers that contain a phone, starting at 00 and at 50: any run of up to 50 adjacent numbers
 * is within one of them.
 */
export function numberRanges(phone: string): [string, string] {
  const hundred = (offset: number): string =>
    String(Math.floor((Number(phone) + offset) / 100)).padStart(phone.length - 2, '0');
  return [`${hundred(0)}00`, `${hundred(50)}50`];
}

const secondsUntil = (momentMs: number, now: Date): number => Math.max(1, Math.ceil((momentMs - now.getTime()) / 1000));

/** The form of a kept phone number that gateways read without knowing the country of the site. */
export const dialled = (phone: string): string =>
  /^(?:20|030)/.test(phone) ? `+856${phone.replace(/^0/, '')}` : phone;

/**
 * The one form that a phone number is kept and compared in, for a number that a text message can reach.
 * @throws {Refusal} PHONE_NUMBER_REQUIRE_10_DIGIT (Thai variant, another length), INVALID_USER_INFO with `detail`
 *   PHONE_NOT_MOBILE for a number in none of the ranges that the operator admits
 */
export function parsePhone(typed: string, variant: Variant, data: SiteConfig): string {
  const phone = plainPhone(typed);
  if (!hasPhoneLength(phone, variant)) throw new Refusal('PHONE_NUMBER_REQUIRE_10_DIGIT');
  if (!isInPhoneRanges(phone, data.setting('phoneRanges'))) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'PHONE_NOT_MOBILE' });
  }
  return phone;
}
