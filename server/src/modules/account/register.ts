import type { ErrorCode } from '@krapao/contract/errors';
import type { Variant } from '@krapao/contract/rules';
import { digitsOf } from '@krapao/contract/text/digits';
import { hashPassword } from '../../platform/crypto/password.ts';
import { type Tx, violatedConstraint, type Database } from '../../platform/database/database.ts';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { uuidV7 } from '../../platform/ids.ts';
import type { Clock } from '../../platform/time.ts';
import { type OperatorData, hitShared } from '../operator-data/index.ts';
import { type OtpModule, parsePhone } from '../otp/index.ts';
import {
  currencyOf,
  canonicalHolderName,
  type Registration,
  validateBankAccount,
  type AccountError,
  hasBankField,
  validatePersonalData,
} from './account.ts';
import { insertMember, type MemberRow, isBankAccountTaken, isPhoneTaken } from './queries.ts';

/** Writes further rows in the transaction that inserts a member. */
export type OnRegistered = (tx: Tx, member: MemberRow) => Promise<void>;

export type RegisterDeps = RegistrationDeps & {
  clock: Clock;
  onRegistered: OnRegistered;
  /** Called with the reason when a valid registration could not be stored. */
  onError: (error: unknown) => void;
};

const CONSTRAINT_ERRORS: Readonly<Record<string, ErrorCode>> = {
  member_phone_unique: 'EXISTING_USER',
  member_bank_account_unique: 'EXISTING_BANK',
};

/**
 * Registers a member. No wallet is created: the ledger opens an account on its first entry, and an account without a
 * row is empty. So a member is never without a wallet.
 * @throws {Refusal} the codes of `checkRegistration`; EXISTING_USER, EXISTING_BANK after a lost race; REGISTER_FAIL
 */
export async function registerAccount(
  deps: RegisterDeps,
  operatorData: OperatorData,
  input: Registration,
  caller: Caller,
): Promise<MemberRow> {
  const phone = await checkRegistration(deps, operatorData, input, { caller, requiresBankAccount: true });
  const currency = currencyOf(input.currency, deps.variant);
  if (currency === undefined) throw new Error('a registration without currency was accepted');
  const passwordHash = await hashPassword(input.password);
  const now = deps.clock.now();
  const member = {
    id: uuidV7(now),
    phone,
    name: input.name.trim(),
    currency,
    inviteCode: input.inviteCode.trim(),
    createdAt: now,
  };
  const bankAccount = {
    bankCode: input.bankCode,
    accountNo: digitsOf(input.bankAccountNo),
    accountName: canonicalHolderName(input.bankAccountName),
  };
  const insertWithExtensions = (): Promise<MemberRow> =>
    deps.database.tx(async (tx) => {
      const newMember = { ...member, passwordHash, sourceCode: input.sourceCode };
      const insertedMember = { ...member, memberCode: await insertMember(tx, newMember, bankAccount) };
      await deps.otp.rememberNetwork(tx, phone, caller.group);
      await deps.onRegistered(tx, insertedMember);
      return insertedMember;
    });
  try {
    return await retryOnCodeCollision(insertWithExtensions);
  } catch (error) {
    const errorCode = CONSTRAINT_ERRORS[violatedConstraint(error) ?? ''];
    if (errorCode) throw new Refusal(errorCode);
    if (error instanceof Unavailable) throw error;
    deps.onError(error);
    throw new Refusal('REGISTER_FAIL', { cause: error });
  }
}

const MEMBER_CODE_DRAWS_MAX = 5;

// Member codes are random, so a new one may already exist.
async function retryOnCodeCollision<T>(register: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await register();
    } catch (error) {
      if (attempt === MEMBER_CODE_DRAWS_MAX || violatedConstraint(error) !== 'member_code_unique') throw error;
    }
  }
}

export type RegistrationDeps = { database: Database; rateLimits: RateLimits; otp: OtpModule; variant: Variant };

/**
 * Checks a registration in order: address, phone format, verified phone, rate limits, free phone, personal data, bank
 * account, free bank account. Only a caller with a verified phone learns whether the phone is registered.
 * @param options `requiresBankAccount`: check the bank account even when all its fields are empty
 * @returns the phone in its stored form
 */
export async function checkRegistration(
  deps: RegistrationDeps,
  operatorData: OperatorData,
  input: Registration,
  options: { caller: Caller; requiresBankAccount: boolean },
): Promise<string> {
  const { database, variant } = deps;
  if (!operatorData.mayCallFrom(options.caller.address)) throw new Refusal('INVALID_IP');
  if (operatorData.isStopped('register')) throw new Refusal('REGISTER_FAIL', { detail: 'REGISTER_STOPPED' });
  const phone = parsePhone(input.username, variant, operatorData);
  const needsProof = operatorData.setting('registerOTP');
  const otpCaller = { group: options.caller.group, token: input.otpToken };
  if (!needsProof) await countUnprovedPhone(deps.rateLimits, operatorData, phone, options.caller);
  else if (await deps.otp.isVerified(database, phone, otpCaller))
    await countProvedPhone(deps.rateLimits, operatorData, phone, options.caller);
  else {
    await deps.rateLimits.hit(operatorData.limitFor('register.address', options.caller.group));
    throw new Refusal('UNVERIFIED_OTP');
  }
  if (await isPhoneTaken(database, phone)) throw new Refusal('EXISTING_USER');
  const sourceCodes = operatorData.sources.map(({ code }) => code);
  throwIfInvalid(validatePersonalData(input, phone, sourceCodes, variant));
  if (!options.requiresBankAccount && !hasBankField(input)) return phone;
  throwIfInvalid(validateBankAccount(input, operatorData.banks));
  if (await isBankAccountTaken(database, input.bankCode, digitsOf(input.bankAccountNo))) {
    throw new Refusal('EXISTING_BANK');
  }
  return phone;
}

function throwIfInvalid(error: AccountError | undefined): void {
  if (error) throw new Refusal(error.code, { detail: error.detail });
}

// Without a verified phone these replies reveal who is a member, so a lower limit applies.
function countUnprovedPhone(
  rateLimits: RateLimits,
  operatorData: OperatorData,
  phone: string,
  { group }: Caller,
): Promise<void> {
  return rateLimits.hit(
    operatorData.limitFor('register.phone', phone),
    operatorData.limitFor('register.address.unproved', group),
  );
}

// Only callers with a verified phone count against its limit, so other callers can't exhaust it.
function countProvedPhone(
  rateLimits: RateLimits,
  operatorData: OperatorData,
  phone: string,
  { group }: Caller,
): Promise<void> {
  const phoneLimits = [operatorData.limitFor('register.phone', phone)];
  return hitShared(rateLimits, { own: phoneLimits, shared: operatorData.limitFor('register.address', group) });
}
