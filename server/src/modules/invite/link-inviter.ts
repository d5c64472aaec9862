import type { Currency } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { findActiveMember } from '../account/index.ts';
import { parseInviteCode } from './invite.ts';
import { insertInvite, isBlocked } from './queries.ts';

type MemberRef = { id: string; currency: Currency };
type NewMember = MemberRef & { inviteCode: string; createdAt: Date };

/** Owner of an invite code; undefined if the code is unknown, or its owner is blocked or inactive. */
export async function findInviter(on: Queryable, code: string): Promise<MemberRef | undefined> {
  const codeOwner = parseInviteCode(code);
  const inviter = codeOwner && (await findActiveMember(on, codeOwner));
  return !inviter || (await isBlocked(on, inviter.id)) ? undefined : inviter;
}

/**
 * Links a new member to the owner of the typed invite code, permanently, in the commit that creates the member. An
 * invalid code does not prevent the registration.
 */
export async function linkInviter(tx: Tx, invitee: NewMember): Promise<void> {
  const inviter = await findInviter(tx, invitee.inviteCode);
  if (inviter && inviter.id !== invitee.id) await insertInvite(tx, inviter, invitee);
}
