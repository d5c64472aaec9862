import type { Currency } from '@krapao/contract/money';
import type { Ledger } from '../../ledger/index.ts';
import { type SnapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { later } from '../../platform/time.ts';
import { noWalletRefusal } from './account.ts';
import { type AccountDeps, accountRoutes } from './http.ts';
import { type MemberProfile, profileField } from './profile.ts';
import {
  type HolderRow,
  selectAccountHolders,
  selectMemberOfPhone,
  type BankAccountRow,
  deleteSessionsExpiredBefore,
  type MemberRow,
  selectBankAccount,
  selectMember,
  suspended,
  selectPhones,
} from './queries.ts';
import type { OnRegistered } from './register.ts';
import { authenticateRequest, type AuthenticateToken, authenticateToken } from './sessions.ts';

export {
  selectMemberByPhoneIdOrCode as findMemberByText,
  selectMemberOfPhone as memberOfPhone,
  bankAccount,
  lastRenameAt,
  selectActiveMember as findActiveMember,
  selectMember as findMember,
  selectNames as namesOf,
  suspended,
  type HolderRow,
} from './queries.ts';
export { configGuard } from './config-guard.ts';
export { renameCooldown, type BankAccount, type Profile } from './profile.ts';
export { noWalletRefusal } from './account.ts';
export {
  blockedBankAccounts,
  findOperatedMember,
  restrictionReasons,
  setBankAccountBlock,
  setStatus,
  setWallet,
  unlock,
  type OperatedMember,
} from './admin.ts';
export { namesConflict } from './holder-name.ts';

/** Registration hooks of another module. */
export type RegistrationExtension = {
  /** Writes further rows in the transaction that inserts the member. */
  onRegistered: OnRegistered;
  /** Whether the code is the invite code of a member. */
  isInviteCode: (code: string) => Promise<boolean>;
};

export type AccountModule = {
  /** Finds the member of a bearer token; throws a Refusal with the reason when there is none. */
  authenticate: AuthenticateToken;
  memberById(db: Queryable, id: string): Promise<MemberRow | undefined>;
  bankAccountOf(db: Queryable, memberId: string): Promise<BankAccountRow | undefined>;
  /** Finds members whose registered account agrees with the visible digits of a masked account number. */
  findHolders(db: Queryable, filter: Parameters<typeof selectAccountHolders>[1]): Promise<HolderRow[]>;
  memberOfPhone(db: Queryable, phone: string, currency: Currency): Promise<string | undefined>;
  /** Member and bank account in their wire form. Throws INVALID_USER_1 when the member is deleted. */
  profileField: SnapshotField<() => Promise<MemberProfile>>;
  /** Throws NO_WALLET when an operator has closed the member's wallet. The member can't move money then. */
  assertWalletOpen(memberId: string): Promise<void>;
  extendRegistration(extension: RegistrationExtension): void;
  /** Deletes sessions that expired longer than the retention ago. */
  sweep(): Promise<void>;
};

export type AccountModuleDeps = Omit<AccountDeps, 'hasMoneyMoved' | 'onRegistered' | 'isInviteCodeKnown'> & {
  ledger: Pick<Ledger, 'lastEvent'>;
};

const SESSION_RETENTION_MS = 30 * 24 * 60 * 60_000;

/** Registration, sessions and profile of members. Authenticates requests for the HTTP server. */
export function accountModule({ ledger, ...otherDeps }: AccountModuleDeps): AccountModule {
  const { app, database, clock, readOperatorData } = otherDeps;
  const extensions: RegistrationExtension[] = [];
  const deps: AccountDeps = {
    ...otherDeps,
    hasMoneyMoved: async (memberId) => (await ledger.lastEvent(memberId)) > 0n,
    onRegistered: async (tx, member) => {
      for (const { onRegistered } of extensions) await onRegistered(tx, member);
    },
    isInviteCodeKnown: async (code) => {
      for (const { isInviteCode } of extensions) if (await isInviteCode(code)) return true;
      return false;
    },
  };
  const authenticate = authenticateToken(deps);
  app.authenticate = authenticateRequest(database, authenticate);
  accountRoutes(deps);
  return {
    authenticate,
    memberById: selectMember,
    bankAccountOf: selectBankAccount,
    findHolders: selectAccountHolders,
    memberOfPhone: selectMemberOfPhone,
    profileField: profileField(readOperatorData),
    assertWalletOpen: (memberId) => assertWalletOpen(database, memberId),
    extendRegistration: (extension) => void extensions.push(extension),
    sweep: () => deleteSessionsExpiredBefore(database, later(clock.now(), -SESSION_RETENTION_MS)),
  };
}

const readSuspended = snapshotReader('wallet suspension', { suspended });

/** Throws NO_WALLET when an operator has closed the member's wallet. */
export async function assertWalletOpen(db: Queryable, memberId: string): Promise<void> {
  if ((await readSuspended(db, memberId)).suspended) throw noWalletRefusal();
}

/** Formats a member's id and phone for an operator. */
export type MemberLabel = (memberId: string) => string;

/** Reads the labels of members for operators' output. Never log them: logs contain no phone. */
export async function memberLabels(db: Queryable, memberIds: readonly string[]): Promise<MemberLabel> {
  const phones = await selectPhones(db, memberIds);
  return (id) => `${id} (${phones.get(id) ?? 'no phone'})`;
}

/** Phone, code and name of a member for operators' output. Never log it. */
export async function memberName(db: Queryable, memberId: string): Promise<string> {
  const member = await selectMember(db, memberId);
  return member ? `${member.phone} ${member.memberCode} ${member.name}` : 'deleted member';
}
