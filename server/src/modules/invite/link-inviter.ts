import type { Currency } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { findActiveMember } from '../account/module.ts';
import { namedBy } from './invite.ts';
import { insertInvite, isBlocked } from './queries.ts';

type Inviter = { id: string; currency: Currency };
type NewMember = Inviter & { inviteCode: string; createdAt: Date };

/** The member whose code was typed; undefined for an unknown code, or when its owner is blocked or inactive. */
export async function findInviter(on: Queryable, code: string): Promise<Inviter | undefined> {
  const named = namedBy(code);
  const inviter = named && (await findActiveMember(on, named));
  return !inviter || (await isBlocked(on, inviter.id)) ? undefined : inviter;
}

/**
 * Makes the owner of the code that a new member typed their inviter, in the commit that enters the member, for life. A
 * code without such an owner does not prevent registering.
 */
export async function linkInviter(tx: Tx, invitee: NewMember): Promise<void> {
  const inviter = await findInviter(tx, invitee.inviteCode);
  if (inviter && inviter.id !== invitee.id) await insertInvite(tx, inviter, invitee);
}
