import { type Arrival, SUSPENSE_HOUSE, type SuspenseReason, suspenseKeyOf, WALLET_APP } from './bank-transfer.ts';
import { type BankTransferDeps, LEASE_MS } from './bank-transfer-deps.ts';
import { creditArrival, postCredit } from './credit-arrival.ts';
import { markThirdParty, selectMembersWhoTold } from './notice-queries.ts';
import { findArrivalById, markBooked, markGateway, markSuspense } from './queries.ts';
import { whoSent } from './who-sent.ts';

/**
 * Does what is next for a transfer, as far as it goes by itself: finds whose it is, credits it, or lays it into suspense.
 * Every step may be repeated, by this process or another, after a crash at any point.
 */
export async function settleArrival(deps: BankTransferDeps, id: string): Promise<void> {
  const arrival = await findArrivalById(deps.database, id);
  if (!arrival) throw new Error(`the transfer ${id} is gone`);
  if (arrival.state === 'NEW' && arrival.fedAt !== null) await decide(deps, arrival);
  const after = (await findArrivalById(deps.database, id)) ?? arrival;
  if (after.reason !== null && after.bookedAt === null) await bookSuspense(deps, after);
  if (after.state === 'CREDITING') await postCredit(deps, after);
}

async function decide(deps: BankTransferDeps, arrival: Arrival): Promise<void> {
  if (arrival.reference1 !== null) {
    // The gateway's payment is what is credited. This is the same money on its way to our account.
    if (await deps.qrcode.wakeQrcode(arrival.reference1)) await markGateway(deps.database, arrival.id);
    else await markSuspense(deps.database, arrival.id, 'UNKNOWN_REFERENCE', [], LEASE_MS);
    return;
  }
  if (arrival.sendingBank === WALLET_APP) return decideOfWalletApp(deps, arrival);
  const { match, told } = await whoSent(deps, arrival);
  switch (match.match) {
    case 'MEMBER': {
      const via = match.by === 'NOTICE' ? 'NOTICE' : 'FEED';
      await creditArrival(deps, { identity: arrival, memberId: match.memberId, via });
      return;
    }
    case 'SEVERAL':
    case 'TOO_NEW':
      await markSuspense(deps.database, arrival.id, match.match, match.candidates, LEASE_MS);
      return;
    case 'NOBODY':
    case 'UNKNOWN_BANK':
      await layAside(deps, arrival, match.match, told);
  }
}

async function decideOfWalletApp(deps: BankTransferDeps, arrival: Arrival): Promise<void> {
  const { database, account } = deps;
  const memberId = await account.memberOfPhone(database, arrival.senderAccount, arrival.currency);
  if (memberId !== undefined) await creditArrival(deps, { identity: arrival, memberId, via: 'WALLET_APP' });
  else {
    const told = (await selectMembersWhoTold(database, arrival)).map((notice) => notice.memberId);
    await layAside(deps, arrival, 'NOBODY', told);
  }
}

async function layAside(
  { database }: BankTransferDeps,
  arrival: Arrival,
  reason: SuspenseReason,
  told: readonly string[],
): Promise<void> {
  const isLaid = await markSuspense(database, arrival.id, reason, told, LEASE_MS);
  // Of several who told the same amount nobody knows whose friend it was.
  const [member, ...more] = told;
  if (isLaid && member !== undefined && more.length === 0) await markThirdParty(database, arrival, member);
}

// From the account that it came to into suspense: house to house, nobody's wallet is touched.
async function bookSuspense(deps: BankTransferDeps, arrival: Arrival): Promise<void> {
  const [verdict] = await deps.ledger.post({
    key: suspenseKeyOf(arrival),
    type: 'transfer',
    kind: 'suspense',
    debit: { house: arrival.house },
    credit: { house: SUSPENSE_HOUSE },
    currency: arrival.currency,
    amount: arrival.amount,
    reference: arrival.transRef,
    actor: 'arrival:feed',
  });
  if (verdict?.outcome !== 'applied') throw new Error(`the transfer ${arrival.id} was not laid into suspense`);
  await markBooked(deps.database, arrival.id);
  deps.log.warn(
    { arrival: arrival.id, house: arrival.house, reason: arrival.reason },
    'a transfer waits for an operator',
  );
}
