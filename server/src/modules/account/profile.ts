import { NAME_CHARACTERS_MAX } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';
import type { BankNames } from '@krapao/contract/shapes';
import { digitsOf } from '@krapao/contract/text/digits';
import { type SnapshotField, snapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import { type Queryable, type Database, violatedConstraint } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Clock } from '../../platform/time.ts';
import { addNotices } from '../notification/index.ts';
import type { OperatorData } from '../operator-data/index.ts';
import {
  validateBankAccount,
  hasBankField,
  canonicalHolderName,
  validateName,
  type TypedBankAccount,
} from './account.ts';
import { isSameSpelling } from './holder-name.ts';
import {
  type MemberRow,
  type Person,
  person,
  type BankAccountRow,
  insertBankAccountChange,
  isBankAccountTaken,
  lockBankAccount,
  replaceBankAccount,
  selectBankAccount,
  updateMemberName,
  updateHolderName,
} from './queries.ts';
import { changeNotice } from './sessions.ts';

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

/** Converts a member to the wire form. */
export const toWireProfile = (member: MemberRow): Profile => ({
  _id: member.id,
  name: member.name,
  username: member.phone,
  createdAt: member.createdAt.toISOString(),
  currency: member.currency,
  memberCode: member.memberCode,
});

/** Body of the profile page. */
export type MemberProfile = { profile: Profile; bankAccount: BankAccount | null };

/**
 * Converts a member and their bank account to the wire form.
 * @throws {Refusal} INVALID_USER_1 when the member is deleted
 */
function toMemberProfile(storedPerson: Person | undefined, operatorData: OperatorData): MemberProfile {
  if (!storedPerson) throw new Refusal('INVALID_USER_1', { detail: 'GONE' });
  const { member, bankAccount: account } = storedPerson;
  if (!account) return { profile: toWireProfile(member), bankAccount: null };
  return {
    profile: toWireProfile(member),
    bankAccount: {
      bankCode: account.bankCode,
      bankAccountName: account.accountName,
      bankAccountNo: account.accountNo,
      // Resolves the names of a bank that the operator has removed too.
      bank: operatorData.bankNames(account.bankCode),
    },
  };
}

/** The member's profile as a field of a larger snapshot. */
export const profileField = (
  readOperatorData: () => Promise<OperatorData>,
): SnapshotField<() => Promise<MemberProfile>> =>
  snapshotField(person.sql, (json: never) => async () => toMemberProfile(person.read(json), await readOperatorData()));

const readPerson = snapshotReader('member and bank account', { person });

/** Reads the profile in a separate query. @throws {Refusal} INVALID_USER_1 when the member is deleted */
export async function readProfile(db: Queryable, operatorData: OperatorData, memberId: string): Promise<MemberProfile> {
  const snapshot = await readPerson(db, memberId);
  return toMemberProfile(snapshot.person, operatorData);
}

export type ChangeProfileDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  /** Whether the member's money has ever moved. */
  hasMoneyMoved: (memberId: string) => Promise<boolean>;
};

/**
 * Changes a member's display name and the spelling of the account holder. Before any money has moved, the bank account
 * can be replaced too. The bank account is changed first: if it is refused, the name stays unchanged.
 * @throws {Refusal} INVALID_USER_INFO, INVALID_BANK (`detail` BANK_LOCKED after money has moved),
 *   BANK_ACCOUNT_NAME_ENG, EXISTING_BANK, REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function changeProfile(
  deps: ChangeProfileDeps,
  operatorData: OperatorData,
  actor: RenameActor,
  input: TypedBankAccount & { name: string },
): Promise<void> {
  const nameError = validateName(input.name);
  if (nameError) throw new Refusal(nameError.code, { detail: nameError.detail });
  if (hasBankField(input)) await changeBank(deps, operatorData, actor, input);
  await deps.database.tx((tx) => updateMemberName(tx, actor.memberId, input.name.trim()));
}

async function changeBank(
  deps: ChangeProfileDeps,
  operatorData: OperatorData,
  actor: RenameActor,
  input: TypedBankAccount,
): Promise<void> {
  const newAccount: BankAccountRow = {
    bankCode: input.bankCode,
    accountNo: digitsOf(input.bankAccountNo),
    accountName: canonicalHolderName(input.bankAccountName),
  };
  const currentAccount = await selectBankAccount(deps.database, actor.memberId);
  if (
    currentAccount &&
    currentAccount.bankCode === newAccount.bankCode &&
    currentAccount.accountNo === newAccount.accountNo
  ) {
    if (!isSameSpelling(currentAccount.accountName, newAccount.accountName))
      await changeBankAccountName(deps, operatorData, actor, input);
    return;
  }
  const accountError = validateBankAccount(input, operatorData.banks);
  if (accountError) throw new Refusal(accountError.code, { detail: accountError.detail });
  if (await deps.hasMoneyMoved(actor.memberId)) throw new Refusal('INVALID_BANK', { detail: 'BANK_LOCKED' });
  await countBankChange(deps.rateLimits, operatorData, actor.memberId);
  if (await isBankAccountTaken(deps.database, newAccount.bankCode, newAccount.accountNo))
    throw new Refusal('EXISTING_BANK');
  try {
    await deps.database.tx(async (tx) => {
      const previousAccount = await lockBankAccount(tx, actor.memberId);
      const changedAt = deps.clock.now();
      await replaceBankAccount(tx, actor.memberId, newAccount, changedAt);
      if (previousAccount)
        await insertBankAccountChange(tx, {
          ...actor,
          ...previousAccount,
          nameAfter: newAccount.accountName,
          accountAfter: newAccount,
          at: changedAt,
        });
      await addNotices(tx, [changeNotice(actor.memberId, 'bankAccount', changedAt)], changedAt);
    });
  } catch (error) {
    if (violatedConstraint(error) === 'member_bank_account_unique') throw new Refusal('EXISTING_BANK');
    throw error;
  }
}

/** Two names and the blank between them. */
const HOLDER_CHARACTERS_MAX = 2 * NAME_CHARACTERS_MAX + 1;

/** Author of a bank account change: member, request id and IP address, as the change log stores them. */
export type RenameActor = { memberId: string; requestId: string; address: string };

/**
 * Changes the spelling of the account holder's name to English capitals. Bank and account number stay the same. Each
 * change is counted and logged with both names.
 * @throws {Refusal} INVALID_USER_INFO (empty, too long), NO_BANK, INVALID_BANK (not the member's),
 *   BANK_ACCOUNT_NAME_ENG, REQUEST_LIMIT_1MIN, REQUEST_LIMIT (too often in a day)
 */
export async function changeBankAccountName(
  deps: { database: Database; clock: Clock; rateLimits: RateLimits },
  operatorData: OperatorData,
  actor: RenameActor,
  input: { bankCode: string; bankAccountName: string },
): Promise<BankAccount> {
  const holderName = canonicalHolderName(input.bankAccountName);
  if (holderName === '' || holderName.length > HOLDER_CHARACTERS_MAX) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'bankAccountName' });
  }
  const { bankAccount } = await readProfile(deps.database, operatorData, actor.memberId);
  if (!bankAccount) throw new Refusal('NO_BANK');
  if (input.bankCode !== bankAccount.bankCode) throw new Refusal('INVALID_BANK', { detail: 'bankCode' });
  // Check before upper-casing: some non-English letters have English capitals.
  if (!isEnglishName(input.bankAccountName)) {
    throw new Refusal('BANK_ACCOUNT_NAME_ENG', {
      detail: needsEnglishName(bankAccount.bankCode) ? 'BANK_WANTS_ENGLISH' : 'bankAccountName',
    });
  }
  // An unchanged name is no change, so a repeated call is not counted.
  if (isSameSpelling(holderName, bankAccount.bankAccountName)) return bankAccount;
  await countBankChange(deps.rateLimits, operatorData, actor.memberId);
  await deps.database.tx(async (tx) => {
    const previousAccount = await lockBankAccount(tx, actor.memberId);
    if (!previousAccount) throw new Refusal('NO_BANK');
    if (isSameSpelling(previousAccount.accountName, holderName)) return;
    await updateHolderName(tx, actor.memberId, holderName);
    const changedAt = deps.clock.now();
    await insertBankAccountChange(tx, { ...actor, ...previousAccount, nameAfter: holderName, at: changedAt });
    await addNotices(tx, [changeNotice(actor.memberId, 'bankAccount', changedAt)], changedAt);
  });
  return { ...bankAccount, bankAccountName: holderName };
}

/** Counts an attempt to change a bank account. @throws {Refusal} REQUEST_LIMIT_1MIN, REQUEST_LIMIT */
export async function countBankChange(
  rateLimits: RateLimits,
  operatorData: OperatorData,
  memberId: string,
): Promise<void> {
  await rateLimits.hit(
    operatorData.limitFor('bank-account-name.minute', memberId),
    operatorData.limitFor('bank-account-name.day', memberId),
  );
}

/**
 * Delay of withdrawals after a change of the holder's name. A defrauded payer can complain and an operator can react.
 */
const RENAME_COOLDOWN_MS = 24 * 60 * 60_000;

/**
 * Refuses a withdrawal within a day of replacing one English name by another. A fraudster can't take another sender's
 * name and withdraw that sender's money immediately. The first English spelling of a Thai or Lao name, which banks
 * require, starts no cooldown.
 * @returns undefined when the member may withdraw
 */
export function renameCooldown(
  lastRenameAt: Date | null,
  now: Date,
): { code: 'REQUEST_LIMIT'; detail: 'ACCOUNT_NAME_CHANGED' } | undefined {
  const isCoolingDown = lastRenameAt !== null && lastRenameAt.getTime() > now.getTime() - RENAME_COOLDOWN_MS;
  return isCoolingDown ? { code: 'REQUEST_LIMIT', detail: 'ACCOUNT_NAME_CHANGED' } : undefined;
}
