import {
  type Arrival,
  type SeenArrival,
  SUSPENSE_HOUSE,
  suspenseKeyOf,
  type SuspenseReason,
  WALLET_APP,
} from './bank-transfer.ts';
import { type BankTransferDeps, LEASE_MS } from './bank-transfer-deps.ts';
import { creditArrival, postCredit, whoSent } from './credit-arrival.ts';
import { expireNotices, markThirdParty, selectMembersWhoTold } from './notice-queries.ts';
import { claimWork, findArrivalById, markBooked, markGateway, markSuspense, upsertArrival } from './queries.ts';
import type { ResolverKind } from '../../../settlement/resolver.ts';
import { uuidV7 } from '../../../platform/ids.ts';

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
  // With several notices of the same amount it is unknown whose friend sent it.
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

const AT_ONCE = 16;

/**
 * Finishes what is due: transfers that a feed has told of, credits and suspense that a crash left half done, and notices
 * whose time is over.
 */
export const arrivalKind = (deps: BankTransferDeps): ResolverKind<{ id: string }> => ({
  name: 'settle transfers that came',
  atOnce: AT_ONCE,
  claim: async (limit) => {
    await expireNotices(deps.database);
    return claimWork(deps.database, limit, LEASE_MS);
  },
  advance: ({ id }) => settleArrival(deps, id),
  log: deps.log,
  failure: 'a transfer could not be settled',
  subject: ({ id }) => ({ arrival: id }),
});

/**
 * Stores a reported transfer, or finds its row; a repeated report changes nothing. One that two
 * tellers tell differently waits for an operator, unless it is credited already; then it is logged.
 * @param by who told: what a feed tells is matched by itself, what a slip's look-up tells only when it is claimed
 */
export async function sightArrival(
  deps: Pick<BankTransferDeps, 'database' | 'clock' | 'log' | 'wakeWork'>,
  seen: SeenArrival,
  by: 'FEED' | 'SLIP',
): Promise<Arrival> {
  const arrival = await upsertArrival(deps.database, uuidV7(deps.clock.now()), seen, by === 'FEED');
  if (!agrees(arrival, seen)) {
    deps.log.error({ ...seen.identity, by }, 'a transfer is told in two ways');
    if (await markSuspense(deps.database, arrival.id, 'DISPUTED', [], LEASE_MS)) {
      deps.wakeWork();
      return { ...arrival, state: 'SUSPENSE', reason: 'DISPUTED' };
    }
  }
  return arrival;
}

const agrees = (arrival: Arrival, seen: SeenArrival): boolean =>
  arrival.amount === seen.amount && arrival.currency === seen.currency && arrival.house === seen.house;
