import type { ErrorCode } from '@krapao/contract/errors';
import { plainNumber } from '@krapao/contract/text/digits';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { hashToken } from '../../platform/ids.ts';
import { type Clock, later } from '../../platform/time.ts';
import type { OperatorData } from '../operator-data/index.ts';
import { BLOCK_MS, checkCode, type OtpCaller, VERIFIED_LIFETIME_MS, type VerifyVerdict } from './otp.ts';
import { rememberNetwork } from './phone-network-queries.ts';
import { consumeOtp, countWrongTry, rememberIdentifiers, lockPhone, selectOtp, selectPhoneOfToken } from './queries.ts';
import { knownIdentifiers, unansweredCodesLimit } from './send-limits.ts';

/** Caller of a verification. `device` issues the device token after a correct code. */
export type VerifiedBy = { caller: Caller; device: () => string };
export type VerifyDeps = { database: Database; clock: Clock; rateLimits: RateLimits };

/** A caller's attempt to verify a phone. */
type TypedCode = { otpToken: string; otpCode: string; tokenOnly: boolean };

/**
 * Verifies a phone with its one-time code. Wrong codes are counted per address. Above the limit, a caller of the address
 * may still try each code once, so that a shared address locks out none of its members.
 * @returns the end of the verification
 * @throws {Refusal} OTP_TOKEN_INVALID, OTP_NOT_EXIST, OTP_VERIFIED, OTP_EXPIRED, OTP_CODE_INVALID, OTP_BLOCK
 */
export async function verifyOtp(
  deps: VerifyDeps,
  operatorData: OperatorData,
  attempt: TypedCode,
  verifier: VerifiedBy,
): Promise<Date> {
  const { caller } = verifier;
  const failureLimit = operatorData.limitFor('otp.failure.address', caller.group);
  const isFirstTryOnly = (await deps.rateLimits.readHits(failureLimit)) >= failureLimit.max;
  const verifiedUntil = later(deps.clock.now(), VERIFIED_LIFETIME_MS);
  const verdict = await checkAttempt(deps, verifier, { ...attempt, isFirstTryOnly }, verifiedUntil);
  // A caller without a valid token gets the same refusal as a caller with a blocked token.
  if (isFirstTryOnly && verdict === 'unknown_token') await deps.rateLimits.assertNotUsedUp(failureLimit);
  if (verdict === 'right') {
    await deps.rateLimits.clear(unansweredCodesLimit(operatorData, caller).key);
    return verifiedUntil;
  }
  const { code, isGuess, retryAfterSeconds } = VERDICT_REFUSALS[verdict];
  if (isGuess) await deps.rateLimits.hit(failureLimit);
  throw new Refusal(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

type RefusalDetails = { code: ErrorCode; isGuess: boolean; retryAfterSeconds?: number };
const VERDICT_REFUSALS: Readonly<Record<Exclude<VerifyVerdict, 'right'> | 'unknown_token', RefusalDetails>> = {
  unknown_token: { code: 'OTP_TOKEN_INVALID', isGuess: true },
  no_code: { code: 'OTP_CODE_INVALID', isGuess: false },
  wrong: { code: 'OTP_CODE_INVALID', isGuess: true },
  wrong_last_try: { code: 'OTP_BLOCK', isGuess: true, retryAfterSeconds: BLOCK_MS / 1000 },
  OTP_VERIFIED: { code: 'OTP_VERIFIED', isGuess: false },
  OTP_BLOCK: { code: 'OTP_BLOCK', isGuess: false },
  OTP_NOT_EXIST: { code: 'OTP_NOT_EXIST', isGuess: false },
  OTP_EXPIRED: { code: 'OTP_EXPIRED', isGuess: false },
};

// The verdict is a return value: a Refusal thrown inside the transaction would roll back the counted try.
async function checkAttempt(
  { database, clock }: VerifyDeps,
  { caller, device }: VerifiedBy,
  attempt: TypedCode & { isFirstTryOnly: boolean },
  verifiedUntil: Date,
): Promise<VerifyVerdict | 'unknown_token'> {
  const tokenHash = hashToken(attempt.otpToken);
  const otpCaller: OtpCaller = { group: caller.group, token: attempt.otpToken };
  return database.tx(async (tx) => {
    const phone = await selectPhoneOfToken(tx, tokenHash);
    if (phone === undefined) return 'unknown_token';
    const phoneState = await lockPhone(tx, phone);
    // Read after the lock: each concurrent guess sees the tries that earlier guesses used up.
    const otp = await selectOtp(tx, tokenHash);
    if (!otp) return 'unknown_token';
    if (attempt.isFirstTryOnly && otp.wrongTries > 0) return 'OTP_BLOCK';
    const now = clock.now();
    const verdict = checkCode(phoneState, otp, { code: plainNumber(attempt.otpCode), caller: otpCaller }, now);
    if (verdict === 'right') {
      await consumeOtp(tx, tokenHash, phone, { verifiedUntil, network: attempt.tokenOnly ? null : otpCaller.group });
      await rememberIdentifiers(tx, knownIdentifiers(phone, caller, device()), now);
      await rememberNetwork(tx, { phone, network: caller.group }, now);
    }
    if (verdict === 'wrong') await countWrongTry(tx, tokenHash, phone);
    if (verdict === 'wrong_last_try') await countWrongTry(tx, tokenHash, phone, later(now, BLOCK_MS));
    return verdict;
  });
}
