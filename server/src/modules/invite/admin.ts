import type { Database, Queryable } from '../../platform/database/database.ts';
import { UserError } from '../../platform/errors.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { deleteBlock, insertBlock, selectBlock } from './queries.ts';

/** Why a member's invites are blocked; undefined when they are not. */
export const inviteBlock = (on: Queryable, memberId: string): Promise<string | undefined> => selectBlock(on, memberId);

/**
 * Blocks or unblocks a member's invites. A blocked inviter gets no invitees and no rewards; turnover stays counted.
 * @throws {UserError} they are blocked or unblocked already
 */
export function setInviteBlock(
  database: Database,
  { memberId, action, ...signature }: { memberId: string; action: 'block' | 'unblock' } & Signature,
): Promise<void> {
  return database.tx(async (tx) => {
    const isChanged = await (action === 'block' ? insertBlock(tx, memberId, signature.why) : deleteBlock(tx, memberId));
    if (!isChanged) {
      throw new UserError(
        `Invites of member ${memberId} are ${action === 'block' ? 'blocked already' : 'not blocked'}.`,
      );
    }
    await logOperator(tx, signature, { what: `members invites ${action}`, subject: memberId });
  });
}
