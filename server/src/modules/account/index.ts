import type { Currency } from '@krapao/contract/money';
import { later } from '../../platform/time.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type SnapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import { authenticateRequest, type AuthenticateToken, authenticateToken } from './sessions.ts';
import {
  type HolderRow,
  selectHolders,
  selectMemberOfPhone,
  type BankAccountRow,
  deleteSessionsExpiredBefore,
  type MemberRow,
  selectBankAccount,
  selectMember,
  suspended,
  selectPhones,
} from './queries.ts';
import { noWallet } from './account.ts';
import type { OnRegistered } from './register.ts';
import { type MemberProfile, profileField } from './profile.ts';
import { type AccountDeps, accountRoutes } from './http.ts';

export {
  selectMemberNamed as memberNamed,
  selectMemberOfPhone as memberOfPhone,
  bankAccount,
  lastRenameAt,
  selectActiveMember as findActiveMember,
  selectMember as findMember,
  selectNames as namesOf,
  suspended,
  type HolderRow,
} from './queries.ts';
export { renameCooldown, type BankAccount, type Profile } from './profile.ts';
export { noWallet } from './account.ts';
export { namesConflict } from './holder-name.ts';

/** Hooks of another module: rows that it writes in the transaction of a registration, and valid invite codes. */
export type RegistrationExtension = {
  /** Writes in the transaction that enters a member. */
  entered: OnRegistered;
  /** Whether an invite code is of a member whom one can register by. */
  isInviteCode: (code: string) => Promise<boolean>;
};

export type AccountModule = {
  /** The member of a bearer token; throws the refusal that says why there is none. */
  authenticate: AuthenticateToken;
  memberById(db: Queryable, id: string): Promise<MemberRow | undefined>;
  bankAccountOf(db: Queryable, memberId: string): Promise<BankAccountRow | undefined>;
  /** Members whose registered account agrees with the visible digits of a masked one. */
  holdersAt(db: Queryable, by: Parameters<typeof selectHolders>[1]): Promise<HolderRow[]>;
  memberOfPhone(db: Queryable, phone: string, currency: Currency): Promise<string | undefined>;
  /** Member and bank account in the shape of the wire. Throws INVALID_USER_1 when the member is gone. */
  picture: SnapshotField<() => Promise<MemberProfile>>;
  /** Throws NO_WALLET when an operator has closed the member's wallet: then none of their money moves by their own doing. */
  assertWalletOpen(memberId: string): Promise<void>;
  extendRegistration(extension: RegistrationExtension): void;
  /** Removes sessions that ended long ago. */
  sweep(): Promise<void>;
};

export type AccountModuleDeps = Omit<AccountDeps, 'hasMoved' | 'welcome' | 'hasInviter'> & {
  ledger: Pick<Ledger, 'lastEvent'>;
};

const KEEP_MS = 30 * 24 * 60 * 60_000;

/** The member: registration, sessions, profile. Authenticates requests for the HTTP server. */
export function accountModule({ ledger, ...options }: AccountModuleDeps): AccountModule {
  const { app, database, clock, operatorData } = options;
  const extensions: RegistrationExtension[] = [];
  const deps: AccountDeps = {
    ...options,
    hasMoved: async (memberId) => (await ledger.lastEvent(memberId)) > 0n,
    welcome: async (tx, member) => {
      for (const { entered } of extensions) await entered(tx, member);
    },
    hasInviter: async (code) => {
      for (const { isInviteCode } of extensions) if (await isInviteCode(code)) return true;
      return false;
    },
  };
  const authenticate = authenticateToken(deps);
  app.authenticate = authenticateRequest(authenticate);
  accountRoutes(deps);
  return {
    authenticate,
    memberById: selectMember,
    bankAccountOf: selectBankAccount,
    holdersAt: selectHolders,
    memberOfPhone: selectMemberOfPhone,
    picture: profileField(operatorData),
    assertWalletOpen: (memberId) => assertWalletOpen(database, memberId),
    extendRegistration: (extension) => void extensions.push(extension),
    sweep: () => deleteSessionsExpiredBefore(database, later(clock.now(), -KEEP_MS)),
  };
}

const readSuspended = snapshotReader('wallet suspension', { suspended });

/** Throws NO_WALLET when an operator has closed the member's wallet. */
export async function assertWalletOpen(on: Queryable, memberId: string): Promise<void> {
  if ((await readSuspended(on, memberId)).suspended) throw noWallet();
}

/** Describes a member for an operator: id and phone. */
export type MemberLabel = (memberId: string) => string;

/** Describes members for operators' output. Never for a log: logs contain no phone. */
export async function memberLabels(on: Queryable, memberIds: readonly string[]): Promise<MemberLabel> {
  const phones = await selectPhones(on, memberIds);
  return (id) => `${id} (${phones.get(id) ?? 'no phone'})`;
}
