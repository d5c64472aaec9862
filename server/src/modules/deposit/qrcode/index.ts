import type { FastifyInstance } from 'fastify';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { type Job, startPeriodicJob } from '../../../platform/jobs/job.ts';
import { createResolver } from '../../../platform/jobs/resolver.ts';
import { collectUnmatched } from './credit-payment.ts';
import { claimDue, qrcodeWork } from './due-queries.ts';
import { qrcodeRoutes, qrcodeWebhooks } from './http.ts';
import { createInquiryPool, settleQrcode } from './inquire.ts';
import type { QrcodeDeps } from './qrcode.ts';
import { requestInquiryByReference } from './queries.ts';

export { selectQrcodeFailures, selectQrcodeSpeeds, selectQrcodeUse } from './usage-queries.ts';
export { findQrcodeTimeline, pendingQrcodes } from './timeline-queries.ts';

export { qrcodeQueue } from './due-queries.ts';
export { gatewayNeeds, sumReversedAtGateway } from './queries.ts';

export { type ParkedRefusal, operateDeposit, type ParkedPayment, parkedPayments } from './admin.ts';

export type QrcodeModule = {
  /** Requests an inquiry about the code with this reference. @returns false when there is none */
  requestInquiry(reference: string): Promise<boolean>;
  /** Starts the inquiries about due codes. Call once, after migration. */
  start(): void;
  /** Resolves when pending inquiries are done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

export type QrcodeModuleDeps = Omit<QrcodeDeps, 'wakeResolver' | 'inquiries'>;

const UNMATCHED_INTERVAL_MS = 60_000;
/** Concurrent inquiries at each gateway. */
const INQUIRY_CONCURRENCY = 8;
/** Added to the longest gateway timeout, so that no other node claims a code during its inquiry. */
const LEASE_MARGIN_MS = 10_000;

/** Deposits by QR codes of gateways: endpoints, callbacks, and inquiries. */
export function qrcodeModule(app: FastifyInstance, moduleDeps: QrcodeModuleDeps): QrcodeModule {
  const resolver = createResolver();
  let unmatchedJob: Job | undefined;
  const deps: QrcodeDeps = { ...moduleDeps, inquiries: createInquiryPool(), wakeResolver: resolver.wake };
  qrcodeRoutes(app, deps);
  qrcodeWebhooks(app, deps);
  return {
    requestInquiry: async (reference) => {
      const isKnown = await requestInquiryByReference(deps.database, reference);
      if (isKnown) deps.wakeResolver();
      return isKnown;
    },
    start: () => {
      const leaseMs = Math.max(0, ...deps.gateways.map((gateway) => gateway.patienceMs)) + LEASE_MARGIN_MS;
      // Inquires about each code on its schedule, and immediately after a callback.
      resolver.start({
        name: 'watch QR codes',
        concurrency: INQUIRY_CONCURRENCY,
        claim: (share, inProgress) => claimDue(deps.database, share, leaseMs, inProgress),
        partitionsOf: ({ gateway }) => [gateway],
        handle: (code) => settleQrcode(deps, code),
        failed: failedWork(deps.database, qrcodeWork),
        keyOf: ({ id }) => id,
        log: deps.log,
        failureMessage: 'settling a QR failed',
        logFields: ({ reference }) => ({ reference }),
      });
      unmatchedJob ??= startPeriodicJob({
        name: 'find unmatched payments',
        everyMs: UNMATCHED_INTERVAL_MS,
        run: () => collectUnmatched(deps),
        log: deps.log,
      });
    },
    stop: async () => {
      await Promise.all([resolver.stop(), unmatchedJob?.stop(), deps.inquiries.drain()]);
      unmatchedJob = undefined;
    },
  };
}
