import { type Job, startPeriodicJob } from '../../platform/jobs/job.ts';
import { followLedger } from './follow-ledger.ts';
import { notificationRoutes } from './http.ts';
import type { NotificationDeps } from './notification.ts';
import { deleteEndedSubscriptions, deleteOldEndings } from './push-queries.ts';
import { deleteOld } from './queries.ts';
import { startSending } from './send-push.ts';
import { startSendingSms } from './send-sms.ts';

export type { Notice } from './notification.ts';
export { addNotices, markSupportRead } from './queries.ts';
export { notifyEndingSessions, deleteSessionSubscription, pushQueue } from './push-queries.ts';
export { smsQueue } from './sms-queries.ts';

const FOLLOW_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 60 * 60_000;

export type NotificationModule = {
  /** Starts to follow the ledger, to send messages and to sweep. Call once, after migration. */
  start(): void;
  /** Resolves when work in progress is done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

/**
 * Notices of a member: the bell, push messages to browsers, and text messages about security. Notices of money follow
 * the ledger; other modules add theirs in their own transactions.
 */
export function notificationModule(deps: NotificationDeps): NotificationModule {
  const { database, clock, push, log } = deps;
  let jobs: Job[] = [];
  notificationRoutes(deps);
  return {
    start: () => {
      jobs = [
        startPeriodicJob({
          name: 'notices of the ledger',
          everyMs: FOLLOW_EVERY_MS,
          run: (signal) => followLedger(deps, signal),
          log,
        }),
        startPeriodicJob({
          name: 'sweep notices',
          everyMs: SWEEP_EVERY_MS,
          run: () =>
            Promise.all([
              deleteOld(database),
              deleteEndedSubscriptions(database, clock.now()),
              deleteOldEndings(database, clock.now()),
            ]),
          log,
        }),
        ...(push ? [startSending({ ...deps, push })] : []),
        startSendingSms(deps),
      ];
    },
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
      jobs = [];
    },
  };
}
