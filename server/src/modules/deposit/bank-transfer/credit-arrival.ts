import type { Currency, Minor } from '@krapao/contract/money';
import {
  type Arrival,
  type ArrivalIdentity,
  creditKeyOf,
  type Doubt,
  type Sender,
  type Via,
  WALLET_APP,
} from './bank-transfer.ts';
import { type BankTransferDeps, LEASE_MS } from './bank-transfer-deps.ts';
import { creditDeposit } from '../credit-deposit.ts';
import { type Match, matchSender, senderFits, visibleDigits } from './matching.ts';
import { selectMembersWhoTold, settleNotices } from './notice-queries.ts';
import { claimCredit, findArrival, markCredited, markSuspense } from './queries.ts';

export type CreditRequest = {
  identity: ArrivalIdentity;
  memberId: string;
  via: Via;
  note?: string;
  /** The sender as the look-up of a slip shows them; whose it is, is found out then. */
  shown?: Sender & { bankCode: string };
};

export type CreditOutcome =
  | { outcome: 'CREDITED' | 'ALREADY_THIS_MEMBER'; amount: Minor; currency: Currency; via: Via }
  /** `ALREADY_OTHER`: another member has it. `BELONGS_TO_QR`: a gateway's code stands for it. `NOT_SEEN`: it was not reported. */
  | { outcome: 'ALREADY_OTHER' | 'BELONGS_TO_QR' | 'NOT_SEEN' }
  /** Not this member's, whatever is claimed: the sender isn't their account, the wallet has another currency. */
  | { outcome: 'CONTRADICTS' | 'CURRENCY' }
  /** It is reported in two ways, matches several members, or one who registered after it was sent: an operator credits it. */
  | { outcome: 'DISPUTED' | Doubt['reason'] };

/**
 * Credits a reported transfer to a member's wallet, once, however often it is found. One conditional update
 * decides who gets it and out of which house account; then the ledger posts under the transfer's own key. What a crash
 * leaves is repeated by the job. An operator's word counts more than the rules of the sender.
 */
export async function creditArrival(deps: BankTransferDeps, request: CreditRequest): Promise<CreditOutcome> {
  const arrival = await findArrival(deps.database, request.identity);
  if (!arrival) return { outcome: 'NOT_SEEN' };
  if (arrival.memberId !== null || arrival.state === 'GATEWAY') return decided(deps, arrival, request);
  const objection = await objectionTo(deps, arrival, request);
  if (typeof objection === 'object') {
    const { reason, candidates } = objection;
    if (await markSuspense(deps.database, arrival.id, reason, candidates, 0)) deps.wakeWork();
    return { outcome: reason };
  }
  if (objection) return { outcome: objection };
  const claim = { memberId: request.memberId, via: request.via, note: request.note ?? null };
  const claimed = await claimCredit(deps.database, arrival.id, claim, LEASE_MS);
  if (!claimed) {
    const now = await findArrival(deps.database, request.identity);
    return now ? decided(deps, now, request) : { outcome: 'NOT_SEEN' };
  }
  await postCredit(deps, claimed);
  return { outcome: 'CREDITED', amount: claimed.amount, currency: claimed.currency, via: request.via };
}

/** Tells the ledger what a row has decided, and notes that it did. Both may be repeated. */
export async function postCredit(deps: BankTransferDeps, arrival: Arrival): Promise<void> {
  const { memberId, debitHouse, via } = arrival;
  if (memberId === null || debitHouse === null || via === null) throw new Error(`${arrival.id} was never decided`);
  const isCredited = await creditDeposit(deps.ledger, {
    key: creditKeyOf(arrival),
    memberId,
    house: debitHouse,
    currency: arrival.currency,
    amount: arrival.amount,
    reference: arrival.transRef,
    actor: via.startsWith('operator:') ? via : `arrival:${via.toLowerCase()}`,
  });
  if (!isCredited) throw new Error(`the transfer ${arrival.id} was not credited`);
  await settleNotices(deps.database, arrival, memberId);
  if (await markCredited(deps.database, arrival.id)) {
    deps.log.info({ arrival: arrival.id, house: arrival.house, via }, 'transfer credited');
  }
}

async function decided(deps: BankTransferDeps, arrival: Arrival, { memberId }: CreditRequest): Promise<CreditOutcome> {
  if (arrival.state === 'GATEWAY') return { outcome: 'BELONGS_TO_QR' };
  if (arrival.memberId !== memberId || arrival.via === null) return { outcome: 'ALREADY_OTHER' };
  // The process that decided may have died before the ledger posted: "credited" is announced only after that.
  if (arrival.state === 'CREDITING') await postCredit(deps, arrival);
  const { amount, currency, via } = arrival;
  return { outcome: 'ALREADY_THIS_MEMBER', amount, currency, via };
}

type Objection = Extract<CreditOutcome['outcome'], 'CONTRADICTS' | 'CURRENCY' | 'DISPUTED'> | Doubt;

async function objectionTo(
  deps: BankTransferDeps,
  arrival: Arrival,
  { memberId, via, shown }: CreditRequest,
): Promise<Objection | undefined> {
  const { database, account } = deps;
  const [member, holder] = await Promise.all([
    account.memberById(database, memberId),
    account.bankAccountOf(database, memberId),
  ]);
  if (member?.currency !== arrival.currency) return 'CURRENCY';
  if (via.startsWith('operator:')) return undefined;
  if (arrival.reason === 'DISPUTED') return 'DISPUTED';
  if (arrival.sendingBank === WALLET_APP) return arrival.senderAccount === member.phone ? undefined : 'CONTRADICTS';
  const sender = { account: arrival.senderAccount, name: arrival.senderName };
  if (!holder || !senderFits(sender, holder)) return 'CONTRADICTS';
  // A feed's line was matched before. A slip is a picture of a reference, which anyone can draw of another's transfer.
  return shown ? doubtOf(deps, arrival, memberId, shown) : undefined;
}

async function doubtOf(
  deps: BankTransferDeps,
  arrival: Arrival,
  memberId: string,
  shown: Sender & { bankCode: string },
): Promise<'CONTRADICTS' | Doubt | undefined> {
  const { match } = await whoSent(deps, arrival, shown);
  if (match.match === 'SEVERAL' || match.match === 'TOO_NEW') {
    const { match: reason, candidates } = match;
    return candidates.includes(memberId) ? { reason, candidates } : 'CONTRADICTS';
  }
  return match.match === 'MEMBER' && match.memberId === memberId ? undefined : 'CONTRADICTS';
}

export type WhoSent = {
  match: Match | { match: 'UNKNOWN_BANK' };
  /** Members who told that exactly this amount would come. */
  told: string[];
};

/**
 * Whose transfer from a bank it is, by everything that is shown of its sender.
 * @param alsoShown as the look-up of a slip shows the same sender: the sending bank hides other places than the receiving one
 */
export async function whoSent(
  { database, account, operatorData }: Pick<BankTransferDeps, 'database' | 'account' | 'operatorData'>,
  arrival: Arrival,
  alsoShown?: Sender & { bankCode: string },
): Promise<WhoSent> {
  const { sendingBank, senderAccount, senderName, currency, sentAt } = arrival;
  const notices = await selectMembersWhoTold(database, arrival);
  const told = notices.map(({ memberId }) => memberId);
  // Any member can name an amount and hope that a look-alike sends it; an amount that we chose is sent only by the member who got it.
  const asked = new Set(notices.filter(({ wasAsked }) => wasAsked).map(({ memberId }) => memberId));
  const { banks } = await operatorData();
  const isSending = (bank: { code: string; number: string | null }): boolean =>
    bank.number === sendingBank || bank.code === alsoShown?.bankCode;
  const bankCodes = banks.filter(isSending).map(({ code }) => code);
  if (bankCodes.length === 0) return { match: { match: 'UNKNOWN_BANK' }, told };
  const digits = visibleDigits(senderAccount);
  if (digits === undefined) return { match: { match: 'NOBODY' }, told };
  const holders = await account.holdersAt(database, { bankCodes, digits, currency });
  const shown = [{ account: senderAccount, name: senderName }, ...(alsoShown ? [alsoShown] : [])];
  return { match: matchSender({ shown, sentAt }, holders, asked), told };
}
