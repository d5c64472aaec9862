import { type Variant } from '@krapao/contract/rules';
import { digitsOf } from '@krapao/contract/text/digits';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller/caller-address.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorData } from '../lookup/module.ts';
import { type OtpModule, phoneOf } from '../otp/module.ts';
import { bankFault, type RegistrationFault, hasBankField, personFault, type Registration } from './account.ts';
import { isBankAccountTaken, isPhoneTaken } from './queries.ts';

export type RegistrationDeps = { database: Database; rateLimits: RateLimits; otp: OtpModule; variant: Variant };

/**
 * Every check of a registration in its order: where from, how often, the phone's form, the phone proved, the person,
 * the phone free, the bank account, the bank account free. Whether a phone is registered is revealed only to a caller
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
  await countRegistration(deps.rateLimits, data, phone, from.caller, needsProof);
  const by = { group: from.caller.group, token: given.otpToken };
  if (needsProof && !(await deps.otp.isVerified(database, phone, by))) throw new Refusal('UNVERIFIED_OTP');
  const sourceCodes = data.sources.map(({ code }) => code);
  refuseIf(personFault(given, phone, sourceCodes, variant));
  if (await isPhoneTaken(database, phone)) throw new Refusal('EXISTING_USER');
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

// Without a proved phone these answers would reveal to a stranger who is a member, so that far fewer are given.
async function countRegistration(
  rateLimits: RateLimits,
  data: OperatorData,
  phone: string,
  caller: Caller,
  needsProof: boolean,
): Promise<void> {
  const byAddress = needsProof ? 'register.address' : 'register.address.unproved';
  await rateLimits.hit(data.limitFor('register.phone', phone), data.limitFor(byAddress, caller.group));
}
