import { type Variant } from '@krapao/contract/rules';
import { digitsOf } from '@krapao/contract/text/digits';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller/caller-address.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hitShared, type OperatorData } from '../lookup/module.ts';
import { type OtpModule, phoneOf } from '../otp/module.ts';
import { bankFault, type RegistrationFault, hasBankField, personFault, type Registration } from './account.ts';
import { isBankAccountTaken, isPhoneTaken } from './queries.ts';

export type RegistrationDeps = { database: Database; rateLimits: RateLimits; otp: OtpModule; variant: Variant };

/**
 * Every check of a registration in its order: where from, the phone's form, the phone proved, how often, the phone free, the
 * person, the bank account, the bank account free. Whether a phone is registered is revealed only to a caller
 * who has proved it. @param whole the bank account is checked even when all its fields are empty @returns the phone in
 * its stored form
 */
export async function checkRegistration(
  deps: RegistrationDeps,
  data: OperatorData,
  given: Registration,
  from: { caller: Caller; whole: boolean },
): Promise<string> {
  const { database, variant } = deps;
  if (!data.mayCallFrom(from.caller.address)) throw new Refusal('INVALID_IP');
  const phone = phoneOf(given.username, variant, data);
  const needsProof = data.setting('registerOTP');
  const by = { group: from.caller.group, token: given.otpToken };
  if (!needsProof) await countUnprovedPhone(deps.rateLimits, data, phone, from.caller);
  else if (await deps.otp.isVerified(database, phone, by))
    await countProvedPhone(deps.rateLimits, data, phone, from.caller);
  else {
    await deps.rateLimits.hit(data.limitFor('register.address', from.caller.group));
    throw new Refusal('UNVERIFIED_OTP');
  }
  if (await isPhoneTaken(database, phone)) throw new Refusal('EXISTING_USER');
  const sourceCodes = data.sources.map(({ code }) => code);
  refuseIf(personFault(given, phone, sourceCodes, variant));
  if (!from.whole && !hasBankField(given)) return phone;
  refuseIf(bankFault(given, data.banks));
  if (await isBankAccountTaken(database, given.bankCode, digitsOf(given.bankAccountNo))) {
    throw new Refusal('EXISTING_BANK');
  }
  return phone;
}

function refuseIf(fault: RegistrationFault | undefined): void {
  if (fault) throw new Refusal(fault.code, { detail: fault.detail });
}

// Without proof of the phone these replies reveal who is a member: a lower limit applies.
function countUnprovedPhone(
  rateLimits: RateLimits,
  data: OperatorData,
  phone: string,
  { group }: Caller,
): Promise<void> {
  return rateLimits.hit(data.limitFor('register.phone', phone), data.limitFor('register.address.unproved', group));
}

// Only callers who proved the phone count against its limit: others can't exhaust it.
function countProvedPhone(rateLimits: RateLimits, data: OperatorData, phone: string, { group }: Caller): Promise<void> {
  const own = [data.limitFor('register.phone', phone)];
  return hitShared(rateLimits, { own, shared: data.limitFor('register.address', group) });
}
