import { ZERO } from '@krapao/contract/money';
import { later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { FRESH_MS } from './invite.ts';
import type { InviteDeps } from './invite-deps.ts';
import { addPlay, type NewPlay, selectReadUpTo, selectToLookAt, sumPlay, takeLook } from './queries.ts';

/** At one look: an inviter with more gets round to all of them in a few minutes. */
const AT_A_LOOK = 100;

/**
 * Updates the known play of a member's invitees, at most once a minute, without calls to the outside. Only invitees who
 * have deposited money of their own, in the inviter's currency, count.
 */
export async function refreshInviteePlay({ database, clock, ...deps }: InviteDeps, inviterId: string): Promise<void> {
  const now = clock.now();
  await database.tx(async (tx) => {
    if (!(await takeLook(tx, inviterId, now, later(now, -FRESH_MS)))) return;
    const looked = await selectToLookAt(tx, inviterId, AT_A_LOOK);
    if (looked.length === 0) return;
    const known = looked.filter(({ hasDeposit }) => hasDeposit).map(({ memberId }) => memberId);
    const others = looked.filter(({ hasDeposit }) => !hasDeposit).map(({ memberId }) => memberId);
    const withDeposit = [...known, ...(await deps.ledger.depositorsAmong(others, tx))];
    const plays = await readPlays(deps, tx, inviterId, withDeposit);
    if (plays.length > 0) await addPlay(tx, inviterId, plays);
    await sumPlay(tx, inviterId, { at: now, memberIds: looked.map(({ memberId }) => memberId), withDeposit });
  });
}

// A reported game may be unchanged since the last time, and a changed one may not be reported.
async function readPlays(
  { ledger, game }: Pick<InviteDeps, 'ledger' | 'game'>,
  tx: Tx,
  inviterId: string,
  memberIds: readonly string[],
): Promise<NewPlay[]> {
  const read = await selectReadUpTo(tx, inviterId, memberIds);
  const losses = await ledger.lossesAfter(memberIds, read, tx);
  const plays = new Map<string, NewPlay>();
  for (const one of losses) plays.set(`${one.memberId}/${one.kind}`, { ...one, turnover: null });
  for (const { memberId, kind, turnover, mayBeOpen } of await game.turnoversOf(tx, memberIds)) {
    const lost = plays.get(`${memberId}/${kind}`) ?? { memberId, kind, losses: ZERO, seq: 0n };
    if (turnover !== null) plays.set(`${memberId}/${kind}`, { ...lost, turnover });
    // A stake that may come back is not lost yet: it is read when that is known.
    else if (mayBeOpen) plays.delete(`${memberId}/${kind}`);
  }
  return [...plays.values()];
}
