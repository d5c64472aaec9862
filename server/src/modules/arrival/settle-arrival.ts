import { type Arrival, SUSPENSE_HOUSE, suspenseKeyOf, WALLET_APP } from './arrival.ts';
import { type ArrivalDeps, LEASE_MS } from './arrival-deps.ts';
import { creditArrival, postCredit } from './credit-arrival.ts';
import { type Match, matchSender, visibleDigits } from './matching.ts';
import { markThirdParty, selectMembersWhoTold } from './notice-queries.ts';
import { findArrivalById, markBooked, markGateway, markSuspense } from './queries.ts';

/**
 * Does what is next for a transfer, as far as it goes by itself: finds whose it is, credits it, or lays it into suspense.
 * Every step may be repeated, by this process or another, after a crash at any point.
 */
export async function settleArrival(deps: ArrivalDeps, id: string): Promise<void> {
  const arrival = await findArrivalById(deps.database, id);
  if (!arrival) throw new Error(`the transfer ${id} is gone`);
  if (arrival.state === 'NEW' && arrival.fedAt !== null) await decide(deps, arrival);
  const after = (await findArrivalById(deps.database, id)) ?? arrival;
  if (after.reason !== null && after.bookedAt === null) await bookSuspense(deps, after);
  if (after.state === 'CREDITING') await postCredit(deps, after);
}

async function decide(deps: ArrivalDeps, arrival: Arrival): Promise<void> {
  if (arrival.reference1 !== null) {
    // The gateway's payment is what is credited. This is the same money on its way to our account.
    if (await deps.wakeQrcode(arrival.reference1)) await markGateway(deps.database, arrival.id);
    else await markSuspense(deps.database, arrival.id, 'UNKNOWN_REFERENCE', [], LEASE_MS);
    return;
  }
  const notices = await selectMembersWhoTold(deps.database, arrival);
  const told = notices.map(({ memberId }) => memberId);
  // Anybody can name an amount and hope that a look-alike sends it; what we asked for, only who was asked sends.
  const asked = new Set(notices.filter(({ wasAsked }) => wasAsked).map(({ memberId }) => memberId));
  const match = await matchOf(deps, arrival, asked);
  switch (match.match) {
    case 'MEMBER': {
      const via = arrival.sendingBank === WALLET_APP ? 'WALLET_APP' : match.by === 'NOTICE' ? 'NOTICE' : 'FEED';
      await creditArrival(deps, { identity: arrival, memberId: match.memberId, via });
      return;
    }
    case 'SEVERAL':
      await markSuspense(deps.database, arrival.id, 'SEVERAL', match.candidates, LEASE_MS);
      return;
    case 'NOBODY':
    case 'UNKNOWN_BANK': {
      const isLaid = await markSuspense(deps.database, arrival.id, match.match, told, LEASE_MS);
      // Of several who told the same amount nobody knows whose friend it was.
      const [member, ...more] = told;
      if (isLaid && member !== undefined && more.length === 0) await markThirdParty(deps.database, arrival, member);
    }
  }
}

async function matchOf(
  { database, account, operatorData }: ArrivalDeps,
  arrival: Arrival,
  asked: ReadonlySet<string>,
): Promise<Match | { match: 'UNKNOWN_BANK' }> {
  const { sendingBank, senderAccount, senderName, currency } = arrival;
  if (sendingBank === WALLET_APP) {
    const memberId = await account.memberOfPhone(database, senderAccount, currency);
    return memberId === undefined ? { match: 'NOBODY' } : { match: 'MEMBER', memberId, by: 'ACCOUNT' };
  }
  const bankCodes = (await operatorData()).banks.filter(({ number }) => number === sendingBank).map(({ code }) => code);
  if (bankCodes.length === 0) return { match: 'UNKNOWN_BANK' };
  const digits = visibleDigits(senderAccount);
  if (digits === undefined) return { match: 'NOBODY' };
  const holders = await account.holdersAt(database, { bankCodes, digits, currency });
  return matchSender({ account: senderAccount, name: senderName }, holders, asked);
}

// From the account that it came to into suspense: house to house, nobody's wallet is touched.
async function bookSuspense(deps: ArrivalDeps, arrival: Arrival): Promise<void> {
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
