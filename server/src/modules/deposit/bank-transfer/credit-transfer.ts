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
import { findArrival } from './queries.ts';
import { assertNever } from '../../../platform/errors.ts';

export type CreditRequest = {
  identity: TransferIdentity;
  memberId: string;
  via: MatchSource;
  note?: string;
  /** The sender as the look-up of a slip shows them; whose it is, is found out then. */
  shown?: Sender & { bankCode: string };
};

export type CreditOutcome =
  | { outcome: 'CREDITED' | 'ALREADY_THIS_MEMBER'; amount: Minor; currency: Currency; via: MatchSource }
  /** `ALREADY_OTHER`: another member has it. `BELONGS_TO_QR`: a gateway's code stands for it. `NOT_SEEN`: it was not reported. */
  | { outcome: 'ALREADY_OTHER' | 'BELONGS_TO_QR' | 'NOT_SEEN' }
  /** Not this member's, whatever is claimed: the sender isn't their account, the wallet has another currency. */
  | { outcome: 'CONTRADICTS' | 'CURRENCY' }
  /** It is reported in two ways, matches several members, or one who registered after it was sent: an operator credits it. */
  | { outcome: 'DISPUTED' | AmbiguousSender['reason'] };

/**
 * Credits a reported transfer to a member's wallet, once, however often it is found: one commit decides who gets it and
 * posts the money out of the house account that it is in. An operator's word counts more than the rules of the sender.
 */
export async function creditTransfer(deps: BankTransferDeps, request: CreditRequest): Promise<CreditOutcome> {
  const arrival = await findArrival(deps.database, request.identity);
  if (!arrival) return { outcome: 'NOT_SEEN' };
  if (arrival.state === 'GATEWAY') return { outcome: 'BELONGS_TO_QR' };
  const { memberId, via, note = null } = request;
  if (arrival.memberId !== null) {
    return arrival.memberId === memberId ? creditOperatorDecision(deps, arrival) : { outcome: 'ALREADY_OTHER' };
  }
  const objection = await objectionTo(deps, arrival, request);
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

/** Credits a transfer that an operator has decided, unless it is credited. */
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
 * Lays a transfer before an operator, and its money from the account that it came to into suspense: house to house.
 * @returns whether this call did it
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

async function objectionTo(
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
  // A feed's line was matched before. A slip is a picture of a reference, which anyone can draw of another's transfer.
  return shown ? doubtOf(deps, arrival, memberId, shown) : undefined;
}

async function doubtOf(
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
  /** Members who told that exactly this amount would come. */
  told: string[];
};

/**
 * Whose transfer from a bank it is, by everything that is shown of its sender.
 * @param alsoShown as the look-up of a slip shows the same sender: the sending bank hides other places than the receiving one
 */
export async function findSender(
  { database, account, operatorData }: Pick<BankTransferDeps, 'database' | 'account' | 'operatorData'>,
  arrival: IncomingTransfer,
  alsoShown?: Sender & { bankCode: string },
): Promise<SenderMatch> {
  const { sendingBank, senderAccount, senderName, currency, sentAt } = arrival;
  const notices = await findAnnouncements(database, arrival);
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
