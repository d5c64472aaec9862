import type { Currency } from '@krapao/contract/money';
import type { BankNames } from '@krapao/contract/shapes';
import type { Queryable } from '../../platform/database/database.ts';
import { type SnapshotPart, snapshotPart, snapshotReader } from '../../platform/database/member-snapshot.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorData } from '../lookup/module.ts';
import { type MemberRow, type Person, person } from './queries.ts';

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
export const profileOf = (member: MemberRow): Profile => ({
  _id: member.id,
  name: member.name,
  username: member.phone,
  createdAt: member.createdAt.toISOString(),
  currency: member.currency,
  memberCode: member.memberCode,
});

/** A member as the profile page shows them. */
export type MemberPicture = { profile: Profile; bankAccount: BankAccount | null };

/**
 * A member and their bank account, as the wire shows them.
 * @throws {Refusal} INVALID_USER_1 when the member is gone
 */
function pictureOf(found: Person | undefined, data: OperatorData): MemberPicture {
  if (!found) throw new Refusal('INVALID_USER_1', { detail: 'GONE' });
  const { member, bankAccount: account } = found;
  if (!account) return { profile: profileOf(member), bankAccount: null };
  return {
    profile: profileOf(member),
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
export const picturePart = (operatorData: () => Promise<OperatorData>): SnapshotPart<() => Promise<MemberPicture>> =>
  snapshotPart(person.sql, (json: never) => async () => pictureOf(person.read(json), await operatorData()));

const readPerson = snapshotReader('member and bank account', { person });

/** The same by itself. @throws {Refusal} INVALID_USER_1 when the member is gone */
export async function readProfile(db: Queryable, data: OperatorData, memberId: string): Promise<MemberPicture> {
  const found = await readPerson(db, memberId);
  return pictureOf(found.person, data);
}
