import { NAME_CHARACTERS_MAX } from '@krapao/contract/constants';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorData } from '../lookup/module.ts';
import { holderOf } from './account.ts';
import { isSameSpelling } from './holder-name/compare.ts';
import { insertRename, lockBankAccount, updateHolder } from './queries.ts';
import { type BankAccount, readProfile } from './read-profile.ts';

/** Two names and the blank between them. */
const HOLDER_CHARACTERS_MAX = 2 * NAME_CHARACTERS_MAX + 1;

/** The caller and their address. */
export type RenameBy = { memberId: string; requestId: string; address: string };

/**
 * Respells the holder's name of the member's own bank account in English capitals. Bank and number stay: the account
 * itself never changes. Each change is counted and logged with both names.
 * @throws {Refusal} INVALID_USER_INFO (empty, too long), NO_BANK, INVALID_BANK (not the member's),
 * BANK_ACCOUNT_NAME_ENG, REQUEST_LIMIT_1MIN, REQUEST_LIMIT (too often in a day)
 */
export async function changeBankAccountName(
  deps: { database: Database; clock: Clock; rateLimits: RateLimits },
  data: OperatorData,
  by: RenameBy,
  typed: { bankCode: string; bankAccountName: string },
): Promise<BankAccount> {
  const name = holderOf(typed.bankAccountName);
  if (name === '' || name.length > HOLDER_CHARACTERS_MAX) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'bankAccountName' });
  }
  const { bankAccount } = await readProfile(deps.database, data, by.memberId);
  if (!bankAccount) throw new Refusal('NO_BANK');
  if (typed.bankCode !== bankAccount.bankCode) throw new Refusal('INVALID_BANK', { detail: 'bankCode' });
  // Checked before upper-casing: some non-English letters have English capitals.
  if (!isEnglishName(typed.bankAccountName)) {
    throw new Refusal('BANK_ACCOUNT_NAME_ENG', {
      detail: needsEnglishName(bankAccount.bankCode) ? 'BANK_WANTS_ENGLISH' : 'bankAccountName',
    });
  }
  // What stands there already changes nothing, so that a call that is sent again is not counted.
  if (isSameSpelling(name, bankAccount.bankAccountName)) return bankAccount;
  await countBankChange(deps.rateLimits, data, by.memberId);
  await deps.database.tx(async (tx) => {
    const before = await lockBankAccount(tx, by.memberId);
    if (!before) throw new Refusal('NO_BANK');
    if (isSameSpelling(before.accountName, name)) return;
    await updateHolder(tx, by.memberId, name);
    await insertRename(tx, { ...by, ...before, nameAfter: name, at: deps.clock.now() });
  });
  return { ...bankAccount, bankAccountName: name };
}

/** Counts a change of a bank account. @throws {Refusal} REQUEST_LIMIT_1MIN, REQUEST_LIMIT */
export async function countBankChange(rateLimits: RateLimits, data: OperatorData, memberId: string): Promise<void> {
  await rateLimits.hit(
    data.limitFor('bank-account-name.minute', memberId),
    data.limitFor('bank-account-name.day', memberId),
  );
}
