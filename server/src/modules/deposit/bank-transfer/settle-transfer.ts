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
import { arrivalWork, claimWork, markGateway, upsertArrival } from './queries.ts';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import type { ResolverOptions } from '../../../platform/jobs/resolver.ts';
import { uuidV7 } from '../../../platform/ids.ts';

/**
 * Does what is next for a transfer: credits what an operator has decided; finds whose it is, credits it, or lays it into
 * suspense. May be repeated, by this process or another, after a crash at any point.
 */
async function settleArrival(deps: BankTransferDeps, arrival: IncomingTransfer): Promise<unknown> {
  if (arrival.memberId !== null) return creditOperatorDecision(deps, arrival);
  return arrival.state === 'NEW' && arrival.fedAt !== null ? decide(deps, arrival) : undefined;
}

async function decide(deps: BankTransferDeps, arrival: IncomingTransfer): Promise<void> {
  if (arrival.reference1 !== null) {
    // The gateway's payment is what is credited. This is the same money on its way to our account.
    if (await deps.qrcode.wakeQrcode(arrival.reference1)) await markGateway(deps.database, arrival.id);
    else await moveToSuspense(deps, arrival, 'UNKNOWN_REFERENCE', []);
    return;
  }
  if (arrival.sendingBank === WALLET_APP) return decideOfWalletApp(deps, arrival);
  const { match, told } = await findSender(deps, arrival);
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
      await layAside(deps, arrival, match.match, told);
  }
}

async function decideOfWalletApp(deps: BankTransferDeps, arrival: IncomingTransfer): Promise<void> {
  const { database, account } = deps;
  const memberId = await account.memberOfPhone(database, arrival.senderAccount, arrival.currency);
  if (memberId !== undefined) await creditTransfer(deps, { identity: arrival, memberId, via: 'WALLET_APP' });
  else {
    const told = (await findAnnouncements(database, arrival)).map((notice) => notice.memberId);
    await layAside(deps, arrival, 'NOBODY', told);
  }
}

async function layAside(
  deps: BankTransferDeps,
  arrival: IncomingTransfer,
  reason: SuspenseReason,
  told: readonly string[],
): Promise<void> {
  const isLaid = await moveToSuspense(deps, arrival, reason, told);
  // With several notices of the same amount it is unknown whose friend sent it.
  const [member, ...more] = told;
  if (isLaid && member !== undefined && more.length === 0) await markThirdPartySender(deps.database, arrival, member);
}

const AT_ONCE = 16;

/** Finishes what is due: transfers that a feed has told of, those that an operator has decided, and notices. */
export const transferResolver = (deps: BankTransferDeps): ResolverOptions<IncomingTransfer> => ({
  name: 'settle transfers that came',
  atOnce: AT_ONCE,
  claim: async (limit) => {
    await expireAnnouncements(deps.database);
    return claimWork(deps.database, limit, LEASE_MS);
  },
  advance: (arrival) => settleArrival(deps, arrival),
  failed: failedWork(deps.database, arrivalWork),
  keyOf: ({ id }) => id,
  log: deps.log,
  failure: 'a transfer could not be settled',
  subject: ({ id }) => ({ arrival: id }),
});

/**
 * Stores a reported transfer, or finds its row; a repeated report changes nothing. One that two
 * tellers tell differently waits for an operator, unless it is credited already; then it is logged.
 * @param by who told: what a feed tells is matched by itself, what a slip's look-up tells only when it is claimed
 */
export async function recordTransfer(
  deps: Pick<BankTransferDeps, 'database' | 'clock' | 'log' | 'ledger'>,
  seen: ReportedTransfer,
  by: 'FEED' | 'SLIP',
): Promise<IncomingTransfer> {
  const arrival = await upsertArrival(deps.database, uuidV7(deps.clock.now()), seen, by === 'FEED');
  if (!agrees(arrival, seen)) {
    deps.log.error({ ...seen.identity, by }, 'a transfer is told in two ways');
    if (await moveToSuspense(deps, arrival, 'DISPUTED', []))
      return { ...arrival, state: 'SUSPENSE', reason: 'DISPUTED' };
  }
  return arrival;
}

const agrees = (arrival: IncomingTransfer, seen: ReportedTransfer): boolean =>
  arrival.amount === seen.amount && arrival.currency === seen.currency && arrival.house === seen.house;
