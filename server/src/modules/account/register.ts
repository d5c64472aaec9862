import type { ErrorCode } from '@krapao/contract/errors';
import { digitsOf } from '@krapao/contract/text/digits';
import type { Clock } from '../../platform/time.ts';
import { type Tx, violatedConstraint, type Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import { type SiteConfig, hitShared } from '../lookup/index.ts';
import {
  currencyOf,
  accountHolder,
  type Registration,
  validateBankAccount,
  type RegistrationError,
  hasBankField,
  validatePerson,
} from './account.ts';
import { insertMember, type MemberRow, isBankAccountTaken, isPhoneTaken } from './queries.ts';
import type { Variant } from '@krapao/contract/rules';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { type OtpModule, parsePhone } from '../otp/index.ts';

/** Writes what else belongs to the commit that enters a member. */
export type OnRegistered = (tx: Tx, member: MemberRow) => Promise<void>;

export type RegisterDeps = RegistrationDeps & {
  clock: Clock;
  welcome: OnRegistered;
  /** Called with the reason when a valid registration could not be stored. */
  onTrouble: (error: unknown) => void;
};

const TAKEN: Readonly<Record<string, ErrorCode>> = {
  member_phone_unique: 'EXISTING_USER',
  member_bank_account_unique: 'EXISTING_BANK',
};

/**
 * Registers a member. The wallet needs no step of its own: the ledger opens an account when it is first named, and one
 * without a row is empty, so that there is no moment with a member and no wallet.
 * @throws {Refusal} what `checkRegistration` throws; EXISTING_USER, EXISTING_BANK when another was faster; REGISTER_FAIL
 */
export async function registerAccount(
  deps: RegisterDeps,
  data: SiteConfig,
  input: Registration,
  caller: Caller,
): Promise<MemberRow> {
  const phone = await checkRegistration(deps, data, input, { caller, whole: true });
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
    accountName: accountHolder(input.bankAccountName),
  };
  const enter = (): Promise<MemberRow> =>
    deps.database.tx(async (tx) => {
      const person = { ...member, passwordHash, sourceCode: input.sourceCode };
      const entered = { ...member, memberCode: await insertMember(tx, person, bankAccount) };
      await deps.welcome(tx, entered);
      return entered;
    });
  try {
    return await againWithAnotherCode(enter);
  } catch (error) {
    const taken = TAKEN[violatedConstraint(error) ?? ''];
    if (taken) throw new Refusal(taken);
    if (error instanceof Unavailable) throw error;
    deps.onTrouble(error);
    throw new Refusal('REGISTER_FAIL', { cause: error });
  }
}

const DRAWS_MAX = 5;

// Members' codes are drawn at random: of millions, one may have been drawn before.
async function againWithAnotherCode<T>(enter: () => Promise<T>): Promise<T> {
  for (let draw = 1; ; draw += 1) {
    try {
      return await enter();
    } catch (error) {
      if (draw === DRAWS_MAX || violatedConstraint(error) !== 'member_code_unique') throw error;
    }
  }
}

export type RegistrationDeps = { database: Database; rateLimits: RateLimits; otp: OtpModule; variant: Variant };

/**
 * Every check of a registration in its order: where from, the phone's form, the phone proved, how often, the phone free, the
 * person, the bank account, the bank account free. Whether a phone is registered is revealed only to a caller
 * who has proved it. @param whole the bank account is checked even when all its fields are empty @returns the phone in
 * its stored form
 */
export async function checkRegistration(
  deps: RegistrationDeps,
  data: SiteConfig,
  input: Registration,
  from: { caller: Caller; whole: boolean },
): Promise<string> {
  const { database, variant } = deps;
  if (!data.mayCallFrom(from.caller.address)) throw new Refusal('INVALID_IP');
  const phone = parsePhone(input.username, variant, data);
  const needsProof = data.setting('registerOTP');
  const by = { group: from.caller.group, token: input.otpToken };
  if (!needsProof) await countUnprovedPhone(deps.rateLimits, data, phone, from.caller);
  else if (await deps.otp.isVerified(database, phone, by))
    await countProvedPhone(deps.rateLimits, data, phone, from.caller);
  else {
    await deps.rateLimits.hit(data.limitFor('register.address', from.caller.group));
    throw new Refusal('UNVERIFIED_OTP');
  }
  if (await isPhoneTaken(database, phone)) throw new Refusal('EXISTING_USER');
  const sourceCodes = data.sources.map(({ code }) => code);
  refuseIf(validatePerson(input, phone, sourceCodes, variant));
  if (!from.whole && !hasBankField(input)) return phone;
  refuseIf(validateBankAccount(input, data.banks));
  if (await isBankAccountTaken(database, input.bankCode, digitsOf(input.bankAccountNo))) {
    throw new Refusal('EXISTING_BANK');
  }
  return phone;
}

function refuseIf(fault: RegistrationError | undefined): void {
  if (fault) throw new Refusal(fault.code, { detail: fault.detail });
}

// Without proof of the phone these replies reveal who is a member: a lower limit applies.
function countUnprovedPhone(rateLimits: RateLimits, data: SiteConfig, phone: string, { group }: Caller): Promise<void> {
  return rateLimits.hit(data.limitFor('register.phone', phone), data.limitFor('register.address.unproved', group));
}

// Only callers who proved the phone count against its limit: others can't exhaust it.
function countProvedPhone(rateLimits: RateLimits, data: SiteConfig, phone: string, { group }: Caller): Promise<void> {
  const own = [data.limitFor('register.phone', phone)];
  return hitShared(rateLimits, { own, shared: data.limitFor('register.address', group) });
}
