import { uuidV7 } from '../../../platform/ids.ts';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import type { ResolverOptions } from '../../../platform/jobs/resolver.ts';
import { expireAnnouncements, markThirdPartySender, findAnnouncements } from './announcement-queries.ts';
import {
  type IncomingTransfer,
  type ReportedTransfer,
  type SuspenseReason,
  WALLET_APP,
  type BankTransferDeps,
  LEASE_MS,
} from './bank-transfer.ts';
import { creditTransfer, creditOperatorDecision, moveToSuspense, findSender } from './credit-transfer.ts';
import { arrivalWork, claimDueTransfers, markGateway, upsertTransfer } from './queries.ts';

/**
 * Credits a transfer to the member assigned by an operator or matched by the sender, or moves it to suspense.
 * Idempotent: any process may repeat it after a crash.
 */
async function settleTransfer(deps: BankTransferDeps, transfer: IncomingTransfer): Promise<unknown> {
  if (transfer.memberId !== null) return creditOperatorDecision(deps, transfer);
  return transfer.state === 'NEW' && transfer.fedAt !== null ? matchAndCredit(deps, transfer) : undefined;
}

async function matchAndCredit(deps: BankTransferDeps, transfer: IncomingTransfer): Promise<void> {
  if (transfer.reference1 !== null) {
    // The gateway's payment is credited, and this transfer is the same money.
    if (await deps.qrcode.requestInquiry(transfer.reference1)) await markGateway(deps.database, transfer.id);
    else await moveToSuspense(deps, transfer, 'UNKNOWN_REFERENCE', []);
    return;
  }
  if (transfer.sendingBank === WALLET_APP) return matchWalletApp(deps, transfer);
  const { match, announcedBy } = await findSender(deps, transfer);
  switch (match.match) {
    case 'MEMBER': {
      const via = match.by === 'NOTICE' ? 'NOTICE' : 'FEED';
      await creditTransfer(deps, { identity: transfer, memberId: match.memberId, via });
      return;
    }
    case 'SEVERAL':
    case 'TOO_NEW':
      await moveToSuspense(deps, transfer, match.match, match.candidates);
      return;
    case 'NOBODY':
    case 'UNKNOWN_BANK':
      await suspendUnmatched(deps, transfer, match.match, announcedBy);
  }
}

async function matchWalletApp(deps: BankTransferDeps, transfer: IncomingTransfer): Promise<void> {
  const { database, account } = deps;
  const memberId = await account.memberOfPhone(database, transfer.senderAccount, transfer.currency);
  if (memberId !== undefined) await creditTransfer(deps, { identity: transfer, memberId, via: 'WALLET_APP' });
  else {
    const announcedBy = (await findAnnouncements(database, transfer)).map((announcement) => announcement.memberId);
    await suspendUnmatched(deps, transfer, 'NOBODY', announcedBy);
  }
}

async function suspendUnmatched(
  deps: BankTransferDeps,
  transfer: IncomingTransfer,
  reason: SuspenseReason,
  announcedBy: readonly string[],
): Promise<void> {
  const isSuspended = await moveToSuspense(deps, transfer, reason, announcedBy);
  // When several members announced the amount, the sender is unknown.
  const [memberId, ...otherMemberIds] = announcedBy;
  if (isSuspended && memberId !== undefined && otherMemberIds.length === 0)
    await markThirdPartySender(deps.database, transfer, memberId);
}

const CONCURRENCY = 16;

/** Processes due transfers (reported by a feed or assigned by an operator) and expired announcements. */
export const transferResolver = (deps: BankTransferDeps): ResolverOptions<IncomingTransfer> => ({
  name: 'settle transfers that came',
  concurrency: CONCURRENCY,
  claim: async (limit) => {
    await expireAnnouncements(deps.database);
    return claimDueTransfers(deps.database, limit, LEASE_MS);
  },
  handle: (transfer) => settleTransfer(deps, transfer),
  failed: failedWork(deps.database, arrivalWork),
  keyOf: ({ id }) => id,
  log: deps.log,
  failureMessage: 'matching an incoming transfer failed',
  logFields: ({ transRef }) => ({ reference: transRef }),
});

/**
 * Stores a reported transfer, or finds its row. Idempotent. A transfer with contradicting reports is left to an
 * operator; after the credit the contradiction is only logged.
 * @param source a feed's transfer is matched automatically, a transfer from a slip's look-up only on request
 */
export async function recordTransfer(
  deps: Pick<BankTransferDeps, 'database' | 'clock' | 'log' | 'ledger'>,
  reportedTransfer: ReportedTransfer,
  source: 'FEED' | 'SLIP',
): Promise<IncomingTransfer> {
  const transfer = await upsertTransfer(deps.database, uuidV7(deps.clock.now()), reportedTransfer, source === 'FEED');
  if (!isSameReport(transfer, reportedTransfer)) {
    deps.log.error({ ...reportedTransfer.identity, by: source }, 'sources disagree about an incoming transfer');
    if (await moveToSuspense(deps, transfer, 'DISPUTED', []))
      return { ...transfer, state: 'SUSPENSE', reason: 'DISPUTED' };
  }
  return transfer;
}

const isSameReport = (transfer: IncomingTransfer, reportedTransfer: ReportedTransfer): boolean =>
  transfer.amount === reportedTransfer.amount &&
  transfer.currency === reportedTransfer.currency &&
  transfer.houseAccount === reportedTransfer.houseAccount;
