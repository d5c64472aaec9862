import type { ErrorCode } from '@krapao/contract/errors';
import { digitsOf } from '@krapao/contract/text/digits';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, violatedConstraint } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller/caller-address.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { Refusal } from '../../platform/refusal.ts';
import { Unavailable } from '../../platform/unavailable.ts';
import type { OperatorData } from '../lookup/module.ts';
import { currencyOf, holderOf, type Registration } from './account.ts';
import { checkRegistration, type RegistrationDeps } from './check-registration.ts';
import { insertMember, type MemberRow } from './queries.ts';

/** Writes what else belongs to the commit that enters a member. */
export type Welcome = (tx: Tx, member: MemberRow) => Promise<void>;

export type RegisterDeps = RegistrationDeps & {
  clock: Clock;
  welcome: Welcome;
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
  data: OperatorData,
  given: Registration,
  caller: Caller,
): Promise<MemberRow> {
  const phone = await checkRegistration(deps, data, given, { caller, whole: true });
  const currency = currencyOf(given.currency, deps.variant);
  if (currency === undefined) throw new Error('a registration without currency was accepted');
  const passwordHash = await hashPassword(given.password);
  const now = deps.clock.now();
  const member = {
    id: uuidV7(now),
    phone,
    name: given.name.trim(),
    currency,
    inviteCode: given.inviteCode.trim(),
    createdAt: now,
  };
  const bankAccount = {
    bankCode: given.bankCode,
    accountNo: digitsOf(given.bankAccountNo),
    accountName: holderOf(given.bankAccountName),
  };
  const enter = (): Promise<MemberRow> =>
    deps.database.tx(async (tx) => {
      const person = { ...member, passwordHash, sourceCode: given.sourceCode };
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
