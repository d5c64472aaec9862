import { ZERO } from '@krapao/contract/money';
import { outsideTransaction, type Tx } from '../../platform/database/database.ts';
import { later } from '../../platform/time.ts';
import { type InviteDeps, TURNOVER_MAX_AGE_MS } from './invite.ts';
import {
  addTurnover,
  type TurnoverDelta,
  selectPlayReadPositions,
  selectDueInvitees,
  sumTurnover,
  claimTurnoverUpdate,
} from './queries.ts';

export type TurnoverUpdater = {
  /** Schedules an update of a member's invitees in the background. */
  scheduleUpdate(inviterId: string): void;
  /** Stops after the inviter that is being updated. */
  stop(): Promise<void>;
};

/** Further inviters are dropped. Their next wallet read schedules them again. */
const QUEUE_MAX = 1_000;

/** Updates one inviter at a time, so that many concurrent wallet reads use one connection. */
export function turnoverUpdater(deps: InviteDeps): TurnoverUpdater {
  const queuedInviters = new Set<string>();
  let updateRun: Promise<void> | undefined;
  let isStopped = false;
  const runUpdates = async (): Promise<void> => {
    for (const inviterId of queuedInviters) {
      queuedInviters.delete(inviterId);
      if (isStopped) break;
      await refreshInviteePlay(deps, inviterId).catch((error: unknown) =>
        deps.log.error({ err: error, inviterId }, 'turnover of invitees not counted'),
      );
    }
    updateRun = undefined;
  };
  return {
    scheduleUpdate(inviterId) {
      if (isStopped || queuedInviters.size >= QUEUE_MAX) return;
      queuedInviters.add(inviterId);
      updateRun ??= outsideTransaction(runUpdates);
    },
    async stop() {
      isStopped = true;
      await updateRun;
    },
  };
}

/** Maximum invitees per update. Several updates, a minute apart, cover an inviter with more invitees. */
const INVITEES_PER_UPDATE = 100;

/**
 * Updates the known play of a member's invitees from stored data, at most once a minute. Only invitees who have
 * deposited money, in the inviter's currency, count.
 */
export async function refreshInviteePlay({ database, clock, ...deps }: InviteDeps, inviterId: string): Promise<void> {
  const now = clock.now();
  await database.tx(async (tx) => {
    if (!(await claimTurnoverUpdate(tx, inviterId, now, later(now, -TURNOVER_MAX_AGE_MS)))) return;
    const dueInvitees = await selectDueInvitees(tx, inviterId, INVITEES_PER_UPDATE);
    if (dueInvitees.length === 0) return;
    const knownDepositors = dueInvitees.filter(({ hasDeposit }) => hasDeposit).map(({ memberId }) => memberId);
    const otherInvitees = dueInvitees.filter(({ hasDeposit }) => !hasDeposit).map(({ memberId }) => memberId);
    const depositors = [...knownDepositors, ...(await deps.ledger.depositorsAmong(otherInvitees, tx))];
    const turnoverDeltas = await readTurnoverDeltas(deps, tx, inviterId, depositors);
    if (turnoverDeltas.length > 0) await addTurnover(tx, inviterId, turnoverDeltas);
    await sumTurnover(tx, inviterId, {
      at: now,
      memberIds: dueInvitees.map(({ memberId }) => memberId),
      withDeposit: depositors,
    });
  });
}

// Turnover that games report, and ledger losses of games that do not report. Deltas may be zero.
async function readTurnoverDeltas(
  { ledger, game }: Pick<InviteDeps, 'ledger' | 'game'>,
  tx: Tx,
  inviterId: string,
  memberIds: readonly string[],
): Promise<TurnoverDelta[]> {
  const readPositions = await selectPlayReadPositions(tx, inviterId, memberIds);
  const losses = await ledger.lossesAfter(memberIds, readPositions, tx);
  const deltaByAccount = new Map<string, TurnoverDelta>();
  for (const loss of losses) deltaByAccount.set(`${loss.memberId}/${loss.kind}`, { ...loss, turnover: null });
  for (const { memberId, kind, turnover, mayBeOpen } of await game.turnoversOf(tx, memberIds)) {
    const previousDelta = deltaByAccount.get(`${memberId}/${kind}`) ?? { memberId, kind, losses: ZERO, seq: 0n };
    if (turnover !== null) deltaByAccount.set(`${memberId}/${kind}`, { ...previousDelta, turnover });
    // An open stake may be returned, so it is not lost yet. It is counted after the bet is settled.
    else if (mayBeOpen) deltaByAccount.delete(`${memberId}/${kind}`);
  }
  return [...deltaByAccount.values()];
}
