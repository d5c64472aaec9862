import type { ErrorCode } from '@krapao/contract/errors';
import { plainNumber } from '@krapao/contract/text/digits';
import { type Clock, later } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import { hashToken } from '../../platform/ids.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SiteConfig } from '../lookup/index.ts';
import { knownIdentifiers, unansweredLimit } from './send-limits.ts';
import { BLOCK_MS, checkCode, type OtpCaller, VERIFIED_MS, type VerifyVerdict } from './otp.ts';
import { consumeOtp, countWrongTry, rememberIdentifiers, lockPhone, selectOtp, selectPhoneOfToken } from './queries.ts';

/** Where a code comes from; the device is given its token when the code is right. */
export type VerifiedBy = { caller: Caller; device: () => string };
export type VerifyDeps = { database: Database; clock: Clock; rateLimits: RateLimits };

/** A caller's attempt to prove a phone. */
type TypedCode = { otpToken: string; otpCode: string; tokenOnly: boolean };

/**
 * Proves a phone with its one-time code. Wrong codes are limited per address; after that limit each code still has its
 * first attempt.
 * @returns until when the phone counts as proved
 * @throws {Refusal} OTP_TOKEN_INVALID, OTP_NOT_EXIST, OTP_VERIFIED, OTP_EXPIRED, OTP_CODE_INVALID, OTP_BLOCK
 */
export async function verifyOtp(deps: VerifyDeps, data: SiteConfig, typed: TypedCode, by: VerifiedBy): Promise<Date> {
  const { caller } = by;
  const failures = data.limitFor('otp.failure.address', caller.group);
  const isFirstTryOnly = (await deps.rateLimits.used(failures)) >= failures.max;
  const until = later(deps.clock.now(), VERIFIED_MS);
  const verdict = await tryCode(deps, by, { ...typed, isFirstTryOnly }, until);
  // A caller without a valid token gets the same refusal as for a blocked one.
  if (isFirstTryOnly && verdict === 'unknown token') throw new Refusal('OTP_BLOCK');
  if (verdict === 'right') {
    await deps.rateLimits.clear(unansweredLimit(data, caller).key);
    return until;
  }
  const { code, isGuess, retryAfterSeconds } = REFUSALS[verdict];
  if (isGuess) await deps.rateLimits.hit(failures);
  throw new Refusal(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

type Told = { code: ErrorCode; isGuess: boolean; retryAfterSeconds?: number };
const REFUSALS: Readonly<Record<Exclude<VerifyVerdict, 'right'> | 'unknown token', Told>> = {
  'unknown token': { code: 'OTP_TOKEN_INVALID', isGuess: true },
  wrong: { code: 'OTP_CODE_INVALID', isGuess: true },
  'wrong for the last time': { code: 'OTP_BLOCK', isGuess: true, retryAfterSeconds: BLOCK_MS / 1000 },
  OTP_VERIFIED: { code: 'OTP_VERIFIED', isGuess: false },
  OTP_BLOCK: { code: 'OTP_BLOCK', isGuess: false },
  OTP_NOT_EXIST: { code: 'OTP_NOT_EXIST', isGuess: false },
  OTP_EXPIRED: { code: 'OTP_EXPIRED', isGuess: false },
};

// The verdict leaves the transaction as a value: a refusal thrown inside would roll the counted try back.
async function tryCode(
  { database, clock }: VerifyDeps,
  { caller, device }: VerifiedBy,
  typed: TypedCode & { isFirstTryOnly: boolean },
  until: Date,
): Promise<VerifyVerdict | 'unknown token'> {
  const tokenHash = hashToken(typed.otpToken);
  const by: OtpCaller = { group: caller.group, token: typed.otpToken };
  return database.tx(async (tx) => {
    const phone = await selectPhoneOfToken(tx, tokenHash);
    if (phone === undefined) return 'unknown token';
    const state = await lockPhone(tx, phone);
    // Read after the lock: of many guesses at one moment each sees the tries that those before it used up.
    const otp = await selectOtp(tx, tokenHash);
    if (!otp) return 'unknown token';
    if (typed.isFirstTryOnly && otp.wrongTries > 0) return 'OTP_BLOCK';
    const now = clock.now();
    const verdict = checkCode(state, otp, { code: plainNumber(typed.otpCode), by }, now);
    if (verdict === 'right') {
      await consumeOtp(tx, tokenHash, phone, { until, from: typed.tokenOnly ? null : by.group });
      await rememberIdentifiers(tx, knownIdentifiers(phone, caller, device()), now);
    }
    if (verdict === 'wrong') await countWrongTry(tx, tokenHash, phone);
    if (verdict === 'wrong for the last time') await countWrongTry(tx, tokenHash, phone, later(now, BLOCK_MS));
    return verdict;
  });
}
