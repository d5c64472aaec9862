import { outsideTransaction, type Tx } from '../../platform/database/database.ts';
import { type InviteDeps, TURNOVER_MAX_AGE_MS } from './invite.ts';
import { ZERO } from '@krapao/contract/money';
import { later } from '../../platform/time.ts';
import {
  addTurnover,
  type TurnoverDelta,
  selectPlayReadPositions,
  selectDueInvitees,
  sumTurnover,
  claimTurnoverUpdate,
} from './queries.ts';

export type TurnoverUpdater = {
  /** Schedules an update of a member's invitees, in the background. */
  soon(inviterId: string): void;
  /** Stops after the member in progress. */
  stop(): Promise<void>;
};

/** More who wait than this come again when their members look again. */
const WAITING_MAX = 1_000;

/** Updates one inviter at a time, so that many concurrent wallet reads use one connection. */
export function turnoverUpdater(deps: InviteDeps): TurnoverUpdater {
  const waiting = new Set<string>();
  let running: Promise<void> | undefined;
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (const inviterId of waiting) {
      waiting.delete(inviterId);
      if (isStopped) break;
      await refreshInviteePlay(deps, inviterId).catch((error: unknown) =>
        deps.log.error({ err: error, inviterId }, 'the play of invitees could not be counted'),
      );
    }
    running = undefined;
  };
  return {
    soon(inviterId) {
      if (isStopped || waiting.size >= WAITING_MAX) return;
      waiting.add(inviterId);
      running ??= outsideTransaction(work);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

/** At one look: an inviter with more gets round to all of them in a few minutes. */
const AT_A_LOOK = 100;

/**
 * Updates the known play of a member's invitees, at most once a minute, without calls to the outside. Only invitees who
 * have deposited money of their own, in the inviter's currency, count.
 */
export async function refreshInviteePlay({ database, clock, ...deps }: InviteDeps, inviterId: string): Promise<void> {
  const now = clock.now();
  await database.tx(async (tx) => {
    if (!(await claimTurnoverUpdate(tx, inviterId, now, later(now, -TURNOVER_MAX_AGE_MS)))) return;
    const looked = await selectDueInvitees(tx, inviterId, AT_A_LOOK);
    if (looked.length === 0) return;
    const known = looked.filter(({ hasDeposit }) => hasDeposit).map(({ memberId }) => memberId);
    const others = looked.filter(({ hasDeposit }) => !hasDeposit).map(({ memberId }) => memberId);
    const withDeposit = [...known, ...(await deps.ledger.depositorsAmong(others, tx))];
    const plays = await readPlays(deps, tx, inviterId, withDeposit);
    if (plays.length > 0) await addTurnover(tx, inviterId, plays);
    await sumTurnover(tx, inviterId, { at: now, memberIds: looked.map(({ memberId }) => memberId), withDeposit });
  });
}

// A reported game may be unchanged since the last time, and a changed one may not be reported.
async function readPlays(
  { ledger, game }: Pick<InviteDeps, 'ledger' | 'game'>,
  tx: Tx,
  inviterId: string,
  memberIds: readonly string[],
): Promise<TurnoverDelta[]> {
  const read = await selectPlayReadPositions(tx, inviterId, memberIds);
  const losses = await ledger.lossesAfter(memberIds, read, tx);
  const plays = new Map<string, TurnoverDelta>();
  for (const one of losses) plays.set(`${one.memberId}/${one.kind}`, { ...one, turnover: null });
  for (const { memberId, kind, turnover, mayBeOpen } of await game.turnoversOf(tx, memberIds)) {
    const lost = plays.get(`${memberId}/${kind}`) ?? { memberId, kind, losses: ZERO, seq: 0n };
    if (turnover !== null) plays.set(`${memberId}/${kind}`, { ...lost, turnover });
    // A stake that may come back is not lost yet: it is read when that is known.
    else if (mayBeOpen) plays.delete(`${memberId}/${kind}`);
  }
  return [...plays.values()];
}
