import { outsideTransaction } from '../../platform/database/database.ts';
import { refreshInviteePlay } from './refresh-invitee-play.ts';
import type { InviteDeps } from './invite-deps.ts';

export type Counter = {
  /** Schedules an update of a member's invitees, in the background. */
  soon(inviterId: string): void;
  /** Stops after the member in progress. */
  stop(): Promise<void>;
};

/** More who wait than this come again when their members look again. */
const WAITING_MAX = 1_000;

/** Counts for one inviter after the other, so that a crowd that looks at its wallets takes one connection. */
export function playCounter(deps: InviteDeps): Counter {
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
