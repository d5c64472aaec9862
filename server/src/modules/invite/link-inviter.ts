import type { Currency } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { namedBy } from './invite.ts';
import { insertInvite, isBlocked } from './queries.ts';

type Inviter = { id: string; currency: Currency };
type NewMember = Inviter & { inviteCode: string; createdAt: Date };
/** Finds a member who may use the site. */
type FindActive = (on: Queryable, by: { id: string } | { memberCode: string }) => Promise<Inviter | undefined>;

/** The member whose code was typed; undefined when nobody has it, or its owner is blocked or not active. */
export async function findInviter(on: Queryable, code: string, findActive: FindActive): Promise<Inviter | undefined> {
  const named = namedBy(code);
  const inviter = named && (await findActive(on, named));
  return !inviter || (await isBlocked(on, inviter.id)) ? undefined : inviter;
}

/**
 * Makes the owner of the code that a new member typed their inviter, in the commit that enters the member, for life. A code
 * without such an owner keeps nobody from registering.
 */
export async function linkInviter(tx: Tx, invitee: NewMember, findActive: FindActive): Promise<void> {
  const inviter = await findInviter(tx, invitee.inviteCode, findActive);
  if (inviter && inviter.id !== invitee.id) await insertInvite(tx, inviter, invitee);
}
