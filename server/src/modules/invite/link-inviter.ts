import type { Currency } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { findActiveMember } from '../account/module.ts';
import { namedBy } from './invite.ts';
import { insertInvite, isBlocked } from './queries.ts';

type Inviter = { id: string; currency: Currency };
type NewMember = Inviter & { inviteCode: string; createdAt: Date };

/** The member whose code was typed; undefined when nobody has it, or its owner is blocked or not active. */
export async function findInviter(on: Queryable, code: string): Promise<Inviter | undefined> {
  const named = namedBy(code);
  const inviter = named && (await findActiveMember(on, named));
  return !inviter || (await isBlocked(on, inviter.id)) ? undefined : inviter;
}

/**
 * Makes the owner of the code that a new member typed their inviter, in the commit that enters the member, for life. A code
 * without such an owner keeps nobody from registering.
 */
export async function linkInviter(tx: Tx, invitee: NewMember): Promise<void> {
  const inviter = await findInviter(tx, invitee.inviteCode);
  if (inviter && inviter.id !== invitee.id) await insertInvite(tx, inviter, invitee);
}
