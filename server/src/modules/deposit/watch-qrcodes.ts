import { startDueWork } from '../../platform/jobs/due-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { DepositDeps } from './deposit-deps.ts';
import { claimDue } from './queries.ts';
import { settleQrcode } from './settle-qrcode.ts';

const AT_ONCE = 8;
/** Beyond the longest call, so that no other node takes a code that is being asked about. */
const LEASE_MARGIN_MS = 10_000;

/** Asks gateways about the codes that are due: each at its time, and at once when a callback came (`wake`). */
export function watchQrcodes(deps: DepositDeps): Job {
  const leaseMs = Math.max(0, ...deps.gateways.map((gateway) => gateway.patienceMs)) + LEASE_MARGIN_MS;
  return startDueWork({
    name: 'watch QR codes',
    atOnce: AT_ONCE,
    claim: (limit) => claimDue(deps.database, limit, leaseMs),
    handle: (code) => settleQrcode(deps, code),
    log: deps.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a QR could not be settled' }),
  });
}
