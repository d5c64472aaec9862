import type { Currency } from '@krapao/contract/money';
import { later } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { SnapshotPart } from '../../platform/database/member-snapshot.ts';
import { authenticateRequest, type AuthenticateToken, authenticateToken } from './authenticate-request.ts';
import { type HolderRow, selectHolders, selectMemberOfPhone } from './holder-queries.ts';
import { renameCooldown } from './rename-cooldown.ts';
import {
  type BankAccountRow,
  deleteSessionsExpiredBefore,
  type MemberRow,
  selectBankAccount,
  selectMember,
} from './queries.ts';
import { type MemberPicture, picturePart } from './read-profile.ts';
import { type AccountDeps, accountRoutes } from './routes.ts';

export { selectMemberNamed as memberNamed, selectMemberOfPhone as memberOfPhone } from './holder-queries.ts';
export {
  selectActiveMember as findActiveMember,
  selectMember as findMember,
  selectNames as namesOf,
} from './queries.ts';
export { describeMembers, type WhoIs } from './describe-members.ts';
export type { Welcome } from './register-account.ts';
export type { HolderRow } from './holder-queries.ts';
export type { BankAccount, Profile } from './read-profile.ts';

export type AccountModule = {
  /** The member of a bearer token; throws the refusal that says why there is none. */
  authenticate: AuthenticateToken;
  memberById(db: Queryable, id: string): Promise<MemberRow | undefined>;
  bankAccountOf(db: Queryable, memberId: string): Promise<BankAccountRow | undefined>;
  /** Members whose registered account agrees with the visible digits of a masked one. */
  holdersAt(db: Queryable, by: Parameters<typeof selectHolders>[1]): Promise<HolderRow[]>;
  memberOfPhone(db: Queryable, phone: string, currency: Currency): Promise<string | undefined>;
  /** Why a member may not withdraw yet, because of what they did to the name of their bank account. */
  renameCooldown(memberId: string): ReturnType<typeof renameCooldown>;
  /** Member and bank account in the shape of the wire. Throws INVALID_USER_1 when the member is gone. */
  picture: SnapshotPart<() => Promise<MemberPicture>>;
  /** Removes sessions that ended long ago. */
  sweep(): Promise<void>;
};

const KEEP_MS = 30 * 24 * 60 * 60_000;

/** The member: registration, sessions, profile. Tells the HTTP server who a request comes from. */
export function accountModule(deps: AccountDeps): AccountModule {
  const { app, database, clock, operatorData } = deps;
  const authenticate = authenticateToken(deps);
  app.authenticate = authenticateRequest(authenticate);
  accountRoutes(deps);
  return {
    authenticate,
    memberById: selectMember,
    bankAccountOf: selectBankAccount,
    holdersAt: selectHolders,
    memberOfPhone: selectMemberOfPhone,
    renameCooldown: (memberId) => renameCooldown(deps, memberId),
    picture: picturePart(operatorData),
    sweep: () => deleteSessionsExpiredBefore(database, later(clock.now(), -KEEP_MS)),
  };
}
