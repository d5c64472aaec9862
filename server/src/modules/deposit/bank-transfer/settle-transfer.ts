import {
  type IncomingTransfer,
  type ReportedTransfer,
  type SuspenseReason,
  WALLET_APP,
  type BankTransferDeps,
  LEASE_MS,
} from './bank-transfer.ts';
import { creditTransfer, creditOperatorDecision, moveToSuspense, findSender } from './credit-transfer.ts';
import { expireAnnouncements, markThirdPartySender, findAnnouncements } from './announcement-queries.ts';
import { arrivalWork, claimWork, markGateway, upsertTransfer } from './queries.ts';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import type { ResolverOptions } from '../../../platform/jobs/resolver.ts';
import { uuidV7 } from '../../../platform/ids.ts';

/**
 * Credits a transfer to the member assigned by an operator or matched by the sender, or moves it to suspense.
 * Idempotent: any process may repeat it after a crash.
 */
async function settleTransfer(deps: BankTransferDeps, arrival: IncomingTransfer): Promise<unknown> {
  if (arrival.memberId !== null) return creditOperatorDecision(deps, arrival);
  return arrival.state === 'NEW' && arrival.fedAt !== null ? matchAndCredit(deps, arrival) : undefined;
}

async function matchAndCredit(deps: BankTransferDeps, arrival: IncomingTransfer): Promise<void> {
  if (arrival.reference1 !== null) {
    // The gateway's payment is credited. This transfer is the same money.
    if (await deps.qrcode.requestInquiry(arrival.reference1)) await markGateway(deps.database, arrival.id);
    else await moveToSuspense(deps, arrival, 'UNKNOWN_REFERENCE', []);
    return;
  }
  if (arrival.sendingBank === WALLET_APP) return matchWalletApp(deps, arrival);
  const { match, announcedBy } = await findSender(deps, arrival);
  switch (match.match) {
    case 'MEMBER': {
      const via = match.by === 'NOTICE' ? 'NOTICE' : 'FEED';
      await creditTransfer(deps, { identity: arrival, memberId: match.memberId, via });
      return;
    }
    case 'SEVERAL':
    case 'TOO_NEW':
      await moveToSuspense(deps, arrival, match.match, match.candidates);
      return;
    case 'NOBODY':
    case 'UNKNOWN_BANK':
      await suspendUnmatched(deps, arrival, match.match, announcedBy);
  }
}

async function matchWalletApp(deps: BankTransferDeps, arrival: IncomingTransfer): Promise<void> {
  const { database, account } = deps;
  const memberId = await account.memberOfPhone(database, arrival.senderAccount, arrival.currency);
  if (memberId !== undefined) await creditTransfer(deps, { identity: arrival, memberId, via: 'WALLET_APP' });
  else {
    const announcedBy = (await findAnnouncements(database, arrival)).map((one) => one.memberId);
    await suspendUnmatched(deps, arrival, 'NOBODY', announcedBy);
  }
}

async function suspendUnmatched(
  deps: BankTransferDeps,
  arrival: IncomingTransfer,
  reason: SuspenseReason,
  announcedBy: readonly string[],
): Promise<void> {
  const isSuspended = await moveToSuspense(deps, arrival, reason, announcedBy);
  // Several members announced the amount: it is unknown whose transfer it was.
  const [member, ...more] = announcedBy;
  if (isSuspended && member !== undefined && more.length === 0)
    await markThirdPartySender(deps.database, arrival, member);
}

const CONCURRENCY = 16;

/** Processes due transfers (reported by a feed or assigned by an operator) and expired announcements. */
export const transferResolver = (deps: BankTransferDeps): ResolverOptions<IncomingTransfer> => ({
  name: 'settle transfers that came',
  concurrency: CONCURRENCY,
  claim: async (limit) => {
    await expireAnnouncements(deps.database);
    return claimWork(deps.database, limit, LEASE_MS);
  },
  handle: (arrival) => settleTransfer(deps, arrival),
  failed: failedWork(deps.database, arrivalWork),
  keyOf: ({ id }) => id,
  log: deps.log,
  failureMessage: 'a transfer could not be settled',
  logFields: ({ id }) => ({ arrival: id }),
});

/**
 * Stores a reported transfer, or finds its row. Idempotent. Contradicting reports leave it to an operator; once it is
 * credited they are only logged.
 * @param by source: a feed's transfer is matched automatically, one from a slip's look-up only on request
 */
export async function recordTransfer(
  deps: Pick<BankTransferDeps, 'database' | 'clock' | 'log' | 'ledger'>,
  reported: ReportedTransfer,
  by: 'FEED' | 'SLIP',
): Promise<IncomingTransfer> {
  const arrival = await upsertTransfer(deps.database, uuidV7(deps.clock.now()), reported, by === 'FEED');
  if (!agrees(arrival, reported)) {
    deps.log.error({ ...reported.identity, by }, 'a transfer is announcedBy in two ways');
    if (await moveToSuspense(deps, arrival, 'DISPUTED', []))
      return { ...arrival, state: 'SUSPENSE', reason: 'DISPUTED' };
  }
  return arrival;
}

const agrees = (arrival: IncomingTransfer, reported: ReportedTransfer): boolean =>
  arrival.amount === reported.amount && arrival.currency === reported.currency && arrival.house === reported.house;
