import type { Currency, Minor } from '@krapao/contract/money';
import { plainPhone } from '@krapao/contract/rules';
import { arrivalTransitions } from '@krapao/contract/states';
import { assertTransition } from '../../../platform/state-machine.ts';
import {
  type IncomingTransfer,
  type TransferIdentity,
  creditKey,
  type AmbiguousSender,
  type Sender,
  SUSPENSE_HOUSE,
  suspenseKey,
  type SuspenseReason,
  type MatchSource,
  WALLET_APP,
  type BankTransferDeps,
} from './bank-transfer.ts';
import { postDeposit, postWithRows } from '../post-deposit.ts';
import { type Match, matchSender, isPossibleSender, visibleDigits } from './match-sender.ts';
import { findAnnouncements } from './announcement-queries.ts';
import { findTransfer } from './queries.ts';
import { assertNever } from '../../../platform/errors.ts';

export type CreditRequest = {
  identity: TransferIdentity;
  memberId: string;
  via: MatchSource;
  note?: string;
  /** The sender as shown by the look-up of a slip, matched in addition to the feed's. */
  shown?: Sender & { bankCode: string };
};

export type CreditOutcome =
  | { outcome: 'CREDITED' | 'ALREADY_THIS_MEMBER'; amount: Minor; currency: Currency; via: MatchSource }
  /** `ALREADY_OTHER`: another member's. `BELONGS_TO_QR`: settled by a gateway. `NOT_SEEN`: never reported. */
  | { outcome: 'ALREADY_OTHER' | 'BELONGS_TO_QR' | 'NOT_SEEN' }
  /** Not this member's: the sender is another account, or the wallet has another currency. */
  | { outcome: 'CONTRADICTS' | 'CURRENCY' }
  /** Left to an operator: contradicting reports, several matching members, or one registered too late. */
  | { outcome: 'DISPUTED' | AmbiguousSender['reason'] };

/**
 * Credits a reported transfer to a member's wallet at most once.
 * One commit assigns the member and posts the money out of its current house account. An operator overrides the rules
 * about senders.
 */
export async function creditTransfer(deps: BankTransferDeps, request: CreditRequest): Promise<CreditOutcome> {
  const arrival = await findTransfer(deps.database, request.identity);
  if (!arrival) return { outcome: 'NOT_SEEN' };
  if (arrival.state === 'GATEWAY') return { outcome: 'BELONGS_TO_QR' };
  const { memberId, via, note = null } = request;
  if (arrival.memberId !== null) {
    return arrival.memberId === memberId ? creditOperatorDecision(deps, arrival) : { outcome: 'ALREADY_OTHER' };
  }
  const objection = await findObjection(deps, arrival, request);
  if (typeof objection === 'object') {
    await moveToSuspense(deps, arrival, objection.reason, objection.candidates);
    return { outcome: objection.reason };
  }
  if (objection) return { outcome: objection };
  const { amount, currency } = arrival;
  const outcome = await post(deps, arrival, { memberId, via, note });
  switch (outcome) {
    case 'applied':
      return { outcome: 'CREDITED', amount, currency, via };
    case 'replayed':
    case 'assigned_elsewhere':
    case 'stale_read':
      // Credited, assigned or moved to suspense concurrently: reads it again.
      return creditTransfer(deps, request);
    default:
      return assertNever(outcome);
  }
}

/** Credits a transfer that an operator has assigned. Idempotent. */
export async function creditOperatorDecision(
  deps: BankTransferDeps,
  arrival: IncomingTransfer,
): Promise<CreditOutcome> {
  const { id, memberId, via, amount, currency, state } = arrival;
  if (memberId === null || via === null) throw new Error(`${id} was never decided`);
  const outcome = state === 'CREDITED' ? 'replayed' : await post(deps, arrival, { memberId, via, note: null });
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return { outcome: 'ALREADY_THIS_MEMBER', amount, currency, via };
    case 'assigned_elsewhere':
    case 'stale_read':
      throw new Error(`the transfer ${id} was decided differently: ${outcome}`);
    default:
      return assertNever(outcome);
  }
}

export const CREDIT_OUTCOMES = ['applied', 'replayed', 'assigned_elsewhere', 'stale_read', 'row_locked'] as const;
export const SUSPENSE_OUTCOMES = ['applied', 'replayed', 'already_decided', 'row_locked'] as const;

async function post(
  { ledger, log }: BankTransferDeps,
  arrival: IncomingTransfer,
  { memberId, via, note }: { memberId: string; via: MatchSource; note: string | null },
): Promise<Exclude<(typeof CREDIT_OUTCOMES)[number], 'row_locked'>> {
  const { id, state, currency, amount, transRef: reference } = arrival;
  assertTransition(arrivalTransitions, state, 'CREDITED');
  const house = state === 'SUSPENSE' ? SUSPENSE_HOUSE : arrival.house;
  const actor = via.startsWith('operator:') ? via : `arrival:${via.toLowerCase()}`;
  const outcome = await postDeposit(
    ledger,
    { key: creditKey(arrival), memberId, house, currency, amount, reference, actor },
    {
      kind: 'arrival_credit',
      outcomes: CREDIT_OUTCOMES,
      row: { id, from: state, member: memberId, debit: house, via, note },
    },
  );
  if (outcome === 'applied') log.info({ arrival: id, house: arrival.house, via }, 'transfer credited');
  return outcome;
}

/**
 * Leaves a transfer to an operator, and moves its money from the receiving account to suspense.
 * @returns false when another call did it
 */
export async function moveToSuspense(
  { ledger, log }: Pick<BankTransferDeps, 'ledger' | 'log'>,
  arrival: IncomingTransfer,
  reason: SuspenseReason,
  candidates: readonly string[],
): Promise<boolean> {
  if (arrival.state !== 'NEW') return false;
  const { id, house, currency, amount, transRef: reference } = arrival;
  assertTransition(arrivalTransitions, arrival.state, 'SUSPENSE');
  const outcome = await postWithRows(
    ledger,
    {
      key: suspenseKey(arrival),
      type: 'transfer',
      kind: 'suspense',
      debit: { house },
      credit: { house: SUSPENSE_HOUSE },
      currency,
      amount,
      reference,
      actor: 'arrival:feed',
    },
    { kind: 'arrival_suspense', outcomes: SUSPENSE_OUTCOMES, row: { id, reason, candidates } },
  );
  switch (outcome) {
    case 'applied':
      log.warn({ arrival: id, house, reason }, 'a transfer waits for an operator');
      return true;
    case 'replayed':
    case 'already_decided':
      return false;
    default:
      return assertNever(outcome);
  }
}

type Objection = Extract<CreditOutcome['outcome'], 'CONTRADICTS' | 'CURRENCY' | 'DISPUTED'> | AmbiguousSender;

async function findObjection(
  deps: BankTransferDeps,
  arrival: IncomingTransfer,
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
  if (arrival.sendingBank === WALLET_APP) {
    return plainPhone(arrival.senderAccount) === member.phone ? undefined : 'CONTRADICTS';
  }
  const sender = { account: arrival.senderAccount, name: arrival.senderName };
  if (!holder || !isPossibleSender(sender, holder)) return 'CONTRADICTS';
  // The feed's entry was matched before. A slip proves no sender: anyone can forge one of another's transfer.
  return shown ? findAmbiguity(deps, arrival, memberId, shown) : undefined;
}

async function findAmbiguity(
  deps: BankTransferDeps,
  arrival: IncomingTransfer,
  memberId: string,
  shown: Sender & { bankCode: string },
): Promise<'CONTRADICTS' | AmbiguousSender | undefined> {
  const { match } = await findSender(deps, arrival, shown);
  if (match.match === 'SEVERAL' || match.match === 'TOO_NEW') {
    const { match: reason, candidates } = match;
    return candidates.includes(memberId) ? { reason, candidates } : 'CONTRADICTS';
  }
  return match.match === 'MEMBER' && match.memberId === memberId ? undefined : 'CONTRADICTS';
}

export type SenderMatch = {
  match: Match | { match: 'UNKNOWN_BANK' };
  /** Members who announced exactly this amount. */
  announcedBy: string[];
};

/**
 * Matches the sender of a bank transfer to a member, by every masked form of the sender.
 * @param alsoShown the sender as shown by the look-up of a slip: each bank masks different digits
 */
export async function findSender(
  { database, account, operatorData }: Pick<BankTransferDeps, 'database' | 'account' | 'operatorData'>,
  arrival: IncomingTransfer,
  alsoShown?: Sender & { bankCode: string },
): Promise<SenderMatch> {
  const { sendingBank, senderAccount, senderName, currency, sentAt } = arrival;
  const announcements = await findAnnouncements(database, arrival);
  const announcedBy = announcements.map(({ memberId }) => memberId);
  // Only an assigned amount identifies a member: an entered one may be a guess at another member's transfer.
  const asked = new Set(announcements.filter(({ wasAsked }) => wasAsked).map(({ memberId }) => memberId));
  const { banks } = await operatorData();
  const isSending = (bank: { code: string; number: string | null }): boolean =>
    bank.number === sendingBank || bank.code === alsoShown?.bankCode;
  const bankCodes = banks.filter(isSending).map(({ code }) => code);
  if (bankCodes.length === 0) return { match: { match: 'UNKNOWN_BANK' }, announcedBy };
  const digits = visibleDigits(senderAccount);
  if (digits === undefined) return { match: { match: 'NOBODY' }, announcedBy };
  const holders = await account.holdersAt(database, { bankCodes, digits, currency });
  const shown = [{ account: senderAccount, name: senderName }, ...(alsoShown ? [alsoShown] : [])];
  return { match: matchSender({ shown, sentAt }, holders, asked), announcedBy };
}
