import { digitsOf } from '@krapao/contract/text/digits';
import type { Clock } from '../../platform/clock.ts';
import { type Database, violatedConstraint } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorData } from '../lookup/module.ts';
import { bankFault, hasBankField, holderOf, nameFault, type TypedBankAccount } from './account.ts';
import { changeBankAccountName, countBankChange, type RenameBy } from './change-bank-account-name.ts';
import { isSameSpelling } from './holder-name/compare.ts';
import {
  type BankAccountRow,
  insertRename,
  isBankAccountTaken,
  lockBankAccount,
  replaceBankAccount,
  selectBankAccount,
  updateName,
} from './queries.ts';

export type ChangeProfileDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  /** Whether any money of the member has ever moved. */
  hasMoved: (memberId: string) => Promise<boolean>;
};

/**
 * Changes what a member may change of themselves: the display name, how the account's holder is spelled, and, as long as no
 * money has ever moved, the account itself. Bank first: what is refused there leaves the name as it was.
 * @throws {Refusal} INVALID_USER_INFO, INVALID_BANK (`detail` BANK_LOCKED once money has moved), BANK_ACCOUNT_NAME_ENG,
 *   EXISTING_BANK, REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function changeProfile(
  deps: ChangeProfileDeps,
  data: OperatorData,
  by: RenameBy,
  typed: TypedBankAccount & { name: string },
): Promise<void> {
  const fault = nameFault(typed.name);
  if (fault) throw new Refusal(fault.code, { detail: fault.detail });
  if (hasBankField(typed)) await changeBank(deps, data, by, typed);
  await deps.database.tx((tx) => updateName(tx, by.memberId, typed.name.trim()));
}

async function changeBank(
  deps: ChangeProfileDeps,
  data: OperatorData,
  by: RenameBy,
  typed: TypedBankAccount,
): Promise<void> {
  const wanted: BankAccountRow = {
    bankCode: typed.bankCode,
    accountNo: digitsOf(typed.bankAccountNo),
    accountName: holderOf(typed.bankAccountName),
  };
  const now = await selectBankAccount(deps.database, by.memberId);
  if (now && now.bankCode === wanted.bankCode && now.accountNo === wanted.accountNo) {
    if (!isSameSpelling(now.accountName, wanted.accountName)) await changeBankAccountName(deps, data, by, typed);
    return;
  }
  const fault = bankFault(typed, data.banks);
  if (fault) throw new Refusal(fault.code, { detail: fault.detail });
  if (await deps.hasMoved(by.memberId)) throw new Refusal('INVALID_BANK', { detail: 'BANK_LOCKED' });
  await countBankChange(deps.rateLimits, data, by.memberId);
  if (await isBankAccountTaken(deps.database, wanted.bankCode, wanted.accountNo)) throw new Refusal('EXISTING_BANK');
  try {
    await deps.database.tx(async (tx) => {
      const before = await lockBankAccount(tx, by.memberId);
      const at = deps.clock.now();
      await replaceBankAccount(tx, by.memberId, wanted, at);
      if (before) await insertRename(tx, { ...by, ...before, nameAfter: wanted.accountName, accountAfter: wanted, at });
    });
  } catch (error) {
    if (violatedConstraint(error) === 'member_bank_account_unique') throw new Refusal('EXISTING_BANK');
    throw error;
  }
}
