import type { FastifyInstance } from 'fastify';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { type Job, startPeriodicJob } from '../../../platform/jobs/job.ts';
import { createResolver } from '../../../platform/jobs/resolver.ts';
import type { QrcodeDeps } from './qrcode.ts';
import { collectUnmatched } from './credit-payment.ts';
import { createInquiryPool, settleQrcode } from './inquire.ts';
import { claimDue, qrcodeWork, requestInquiryByReference } from './queries.ts';
import { qrcodeRoutes, qrcodeWebhooks } from './http.ts';

export { qrcodeQueue } from './queries.ts';

export { type ParkedRefusal, operateDeposit, type ParkedPayment, parkedPayments } from './admin.ts';
export { sumReversedAtGateway } from './queries.ts';

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
  const deps: QrcodeDeps = { ...given, inquiries: createInquiryPool(), wakeWatcher: resolver.wake };
  qrcodeRoutes(app, deps);
  qrcodeWebhooks(app, deps);
  return {
    wakeQrcode: async (reference) => {
      const isOurs = await requestInquiryByReference(deps.database, reference);
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
      finder ??= startPeriodicJob({
        name: 'find unmatched payments',
        everyMs: UNMATCHED_EVERY_MS,
        run: () => collectUnmatched(deps),
        log: deps.log,
      });
    },
    stop: async () => {
      await Promise.all([resolver.stop(), finder?.stop(), deps.inquiries.drain()]);
      finder = undefined;
    },
  };
}
