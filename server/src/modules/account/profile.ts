import type { Currency } from '@krapao/contract/money';
import type { BankNames } from '@krapao/contract/shapes';
import { type Queryable, type Database, violatedConstraint } from '../../platform/database/database.ts';
import { type SnapshotField, snapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SiteConfig } from '../lookup/index.ts';
import {
  type MemberRow,
  type Person,
  person,
  type BankAccountRow,
  insertRename,
  isBankAccountTaken,
  lockBankAccount,
  replaceBankAccount,
  selectBankAccount,
  updateName,
  updateHolder,
} from './queries.ts';
import { digitsOf } from '@krapao/contract/text/digits';
import type { Clock } from '../../platform/time.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { validateBankAccount, hasBankField, accountHolder, validateName, type TypedBankAccount } from './account.ts';
import { isSameSpelling } from './holder-name.ts';
import { NAME_CHARACTERS_MAX } from '@krapao/contract/constants';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';

export type Profile = {
  _id: string;
  name: string;
  username: string;
  createdAt: string;
  currency: Currency;
  memberCode: string;
};
export type BankAccount = {
  bankCode: string;
  bankAccountName: string;
  bankAccountNo: string;
  bank: BankNames;
};

/** A member as the wire shows them. */
export const toWireProfile = (member: MemberRow): Profile => ({
  _id: member.id,
  name: member.name,
  username: member.phone,
  createdAt: member.createdAt.toISOString(),
  currency: member.currency,
  memberCode: member.memberCode,
});

/** A member as the profile page shows them. */
export type MemberProfile = { profile: Profile; bankAccount: BankAccount | null };

/**
 * A member and their bank account, as the wire shows them.
 * @throws {Refusal} INVALID_USER_1 when the member is gone
 */
function pictureOf(found: Person | undefined, data: SiteConfig): MemberProfile {
  if (!found) throw new Refusal('INVALID_USER_1', { detail: 'GONE' });
  const { member, bankAccount: account } = found;
  if (!account) return { profile: toWireProfile(member), bankAccount: null };
  return {
    profile: toWireProfile(member),
    bankAccount: {
      bankCode: account.bankCode,
      bankAccountName: account.accountName,
      bankAccountNo: account.accountNo,
      // A bank that the operator has removed still has a code.
      bank: data.bankNames(account.bankCode),
    },
  };
}

/** The same as a part of a greater picture. */
export const profileField = (operatorData: () => Promise<SiteConfig>): SnapshotField<() => Promise<MemberProfile>> =>
  snapshotField(person.sql, (json: never) => async () => pictureOf(person.read(json), await operatorData()));

const readPerson = snapshotReader('member and bank account', { person });

/** Reads the profile in its own query. @throws {Refusal} INVALID_USER_1 when the member is gone */
export async function readProfile(db: Queryable, data: SiteConfig, memberId: string): Promise<MemberProfile> {
  const found = await readPerson(db, memberId);
  return pictureOf(found.person, data);
}

export type ChangeProfileDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  /** Whether any money of the member has ever moved. */
  hasMoved: (memberId: string) => Promise<boolean>;
};

/**
 * Changes a member's display name, the spelling of the account holder and, until money has moved, the bank account. The bank
 * account comes first: if it is refused, the name stays unchanged.
 * @throws {Refusal} INVALID_USER_INFO, INVALID_BANK (`detail` BANK_LOCKED once money has moved), BANK_ACCOUNT_NAME_ENG,
 *   EXISTING_BANK, REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function changeProfile(
  deps: ChangeProfileDeps,
  data: SiteConfig,
  by: RenameActor,
  typed: TypedBankAccount & { name: string },
): Promise<void> {
  const fault = validateName(typed.name);
  if (fault) throw new Refusal(fault.code, { detail: fault.detail });
  if (hasBankField(typed)) await changeBank(deps, data, by, typed);
  await deps.database.tx((tx) => updateName(tx, by.memberId, typed.name.trim()));
}

async function changeBank(
  deps: ChangeProfileDeps,
  data: SiteConfig,
  by: RenameActor,
  typed: TypedBankAccount,
): Promise<void> {
  const next: BankAccountRow = {
    bankCode: typed.bankCode,
    accountNo: digitsOf(typed.bankAccountNo),
    accountName: accountHolder(typed.bankAccountName),
  };
  const now = await selectBankAccount(deps.database, by.memberId);
  if (now && now.bankCode === next.bankCode && now.accountNo === next.accountNo) {
    if (!isSameSpelling(now.accountName, next.accountName)) await changeBankAccountName(deps, data, by, typed);
    return;
  }
  const fault = validateBankAccount(typed, data.banks);
  if (fault) throw new Refusal(fault.code, { detail: fault.detail });
  if (await deps.hasMoved(by.memberId)) throw new Refusal('INVALID_BANK', { detail: 'BANK_LOCKED' });
  await countBankChange(deps.rateLimits, data, by.memberId);
  if (await isBankAccountTaken(deps.database, next.bankCode, next.accountNo)) throw new Refusal('EXISTING_BANK');
  try {
    await deps.database.tx(async (tx) => {
      const before = await lockBankAccount(tx, by.memberId);
      const at = deps.clock.now();
      await replaceBankAccount(tx, by.memberId, next, at);
      if (before) await insertRename(tx, { ...by, ...before, nameAfter: next.accountName, accountAfter: next, at });
    });
  } catch (error) {
    if (violatedConstraint(error) === 'member_bank_account_unique') throw new Refusal('EXISTING_BANK');
    throw error;
  }
}

/** Two names and the blank between them. */
const HOLDER_CHARACTERS_MAX = 2 * NAME_CHARACTERS_MAX + 1;

/** Who changes a bank account: member, request id and IP address, as the change log stores them. */
export type RenameActor = { memberId: string; requestId: string; address: string };

/**
 * Respells the holder's name of the member's own bank account in English capitals. Bank and number stay: the account
 * itself never changes. Each change is counted and logged with both names.
 * @throws {Refusal} INVALID_USER_INFO (empty, too long), NO_BANK, INVALID_BANK (not the member's),
 * BANK_ACCOUNT_NAME_ENG, REQUEST_LIMIT_1MIN, REQUEST_LIMIT (too often in a day)
 */
export async function changeBankAccountName(
  deps: { database: Database; clock: Clock; rateLimits: RateLimits },
  data: SiteConfig,
  by: RenameActor,
  typed: { bankCode: string; bankAccountName: string },
): Promise<BankAccount> {
  const name = accountHolder(typed.bankAccountName);
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
  // An unchanged name is not a rename, so that a repeated call is not counted.
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
export async function countBankChange(rateLimits: RateLimits, data: SiteConfig, memberId: string): Promise<void> {
  await rateLimits.hit(
    data.limitFor('bank-account-name.minute', memberId),
    data.limitFor('bank-account-name.day', memberId),
  );
}

/** Withdrawals wait this long after a new holder name, so that a defrauded payer can complain and an operator react. */
const RENAME_COOLDOWN_MS = 24 * 60 * 60_000;

/**
 * Refuses a withdrawal within a day of replacing one English name by another: a fraudster who takes the name of another
 * sender to receive that sender's money has to wait. The first English spelling of a Thai or Lao name, which banks ask for,
 * starts no cooldown.
 * @param exchangedAt as `nameExchangedAt` reads it
 * @returns undefined when the member may withdraw
 */
export function renameCooldown(
  exchangedAt: Date | null,
  now: Date,
): { code: 'REQUEST_LIMIT'; detail: 'ACCOUNT_NAME_CHANGED' } | undefined {
  const isCoolingDown = exchangedAt !== null && exchangedAt.getTime() > now.getTime() - RENAME_COOLDOWN_MS;
  return isCoolingDown ? { code: 'REQUEST_LIMIT', detail: 'ACCOUNT_NAME_CHANGED' } : undefined;
}
