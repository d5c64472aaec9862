import type { Currency } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database.ts';
import { inviterIdOf } from './invite.ts';
import { insertInvite, isBlocked } from './queries.ts';

type NewMember = { id: string; currency: Currency; inviteCode: string; createdAt: Date };

/**
 * Makes who has the code that a new member typed their inviter, in the commit that enters the member, for life. With a code
 * that nobody has, or whose owner is blocked or not active, they have none; it keeps nobody from registering.
 * @param findActive a member who may use the site
 */
export async function linkInviter(
  tx: Tx,
  invitee: NewMember,
  findActive: (on: Queryable, id: string) => Promise<{ id: string; currency: Currency } | undefined>,
): Promise<void> {
  const inviterId = inviterIdOf(invitee.inviteCode);
  if (inviterId === undefined || inviterId === invitee.id) return;
  const inviter = await findActive(tx, inviterId);
  if (!inviter || (await isBlocked(tx, inviter.id))) return;
  await insertInvite(tx, inviter, invitee);
}
