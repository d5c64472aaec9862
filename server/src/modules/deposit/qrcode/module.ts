import type { FastifyInstance } from 'fastify';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { type Job, startJob } from '../../../platform/jobs/job.ts';
import { createResolver } from '../../../settlement/resolver.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { findUnmatched } from './credit-payment.ts';
import { createInquiries } from './inquiries.ts';
import { claimDue, qrcodeWork, wakeAnywhere } from './queries.ts';
import { qrcodeRoutes } from './routes.ts';
import { settleQrcode } from './settle-qrcode.ts';
import { qrcodeWebhooks } from './webhook.ts';

export { qrcodeQueue } from './queries.ts';

export { type DepositHindrance, operateDeposit, type ParkedPayment, parkedPayments } from './operate-deposits.ts';
export { sumTakenBack } from './operator-queries.ts';

export type QrcodeModule = {
  /** Wants an inquiry about the code that has this reference. @returns false when no code of ours has it */
  wakeQrcode(reference: string): Promise<boolean>;
  /** Starts asking gateways about codes that are due. Once, when the database is there. */
  start(): void;
  /** Ends after the inquiries that are under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

export type QrcodeModuleDeps = Omit<QrcodeDeps, 'wakeWatcher' | 'inquiries'>;

/** Only an operator waits for these. */
const UNMATCHED_EVERY_MS = 60_000;
/** Codes that are asked about at the same moment. */
const AT_ONCE = 8;
/** Beyond the longest call, so that no other node takes a code that is being asked about. */
const LEASE_MARGIN_MS = 10_000;

/** Putting money in by a code that a gateway issues: the member's calls, the gateways' callbacks, and the watcher. */
export function qrcodeModule(app: FastifyInstance, given: QrcodeModuleDeps): QrcodeModule {
  const resolver = createResolver();
  let finder: Job | undefined;
  const deps: QrcodeDeps = { ...given, inquiries: createInquiries(), wakeWatcher: resolver.wake };
  qrcodeRoutes(app, deps);
  qrcodeWebhooks(app, deps);
  return {
    wakeQrcode: async (reference) => {
      const isOurs = await wakeAnywhere(deps.database, reference);
      if (isOurs) deps.wakeWatcher();
      return isOurs;
    },
    start: () => {
      const leaseMs = Math.max(0, ...deps.gateways.map((gateway) => gateway.patienceMs)) + LEASE_MARGIN_MS;
      // Each code at its time, and at once when a callback came.
      resolver.start({
        name: 'watch QR codes',
        atOnce: AT_ONCE,
        claim: (limit) => claimDue(deps.database, limit, leaseMs),
        advance: (code) => settleQrcode(deps, code),
        failed: failedWork(deps.database, qrcodeWork),
        keyOf: ({ id }) => id,
        log: deps.log,
        failure: 'a QR could not be settled',
        subject: ({ reference }) => ({ reference }),
      });
      finder ??= startJob({
        name: 'find unmatched payments',
        everyMs: UNMATCHED_EVERY_MS,
        run: () => findUnmatched(deps),
        log: deps.log,
      });
    },
    stop: async () => {
      await Promise.all([resolver.stop(), finder?.stop(), deps.inquiries.drain()]);
      finder = undefined;
    },
  };
}
