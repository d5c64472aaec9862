import type { Currency, Minor } from '@krapao/contract/money';
import { plainPhone } from '@krapao/contract/rules';
import { arrivalTransitions } from '@krapao/contract/states';
import { assertNever } from '../../../platform/errors.ts';
import { assertTransition } from '../../../platform/state-machine.ts';
import { postDeposit, postWithRows } from '../post-deposit.ts';
import { findAnnouncements } from './announcement-queries.ts';
import {
  type IncomingTransfer,
  type TransferIdentity,
  creditKey,
  type AmbiguousSender,
  type Sender,
  SUSPENSE_ACCOUNT,
  suspenseKey,
  type SuspenseReason,
  type MatchSource,
  WALLET_APP,
  type BankTransferDeps,
} from './bank-transfer.ts';
import { type Match, matchSender, isPossibleSender, visibleDigits } from './match-sender.ts';
import { findTransfer } from './queries.ts';

export type CreditRequest = {
  identity: TransferIdentity;
  memberId: string;
  via: MatchSource;
  note?: string;
  /** The sender in the slip's look-up, matched in addition to the feed's sender. */
  senderOnSlip?: Sender & { bankCode: string };
};

export type CreditOutcome =
  | { outcome: 'credited' | 'already_this_member'; amount: Minor; currency: Currency; via: MatchSource }
  /** `already_other`: credited to another member. `belongs_to_qr`: settled by a gateway. `not_seen`: never reported. */
  | { outcome: 'already_other' | 'belongs_to_qr' | 'not_seen' }
  /** The transfer is not this member's: the sender is another account, or the wallet has another currency. */
  | { outcome: 'contradicts' | 'CURRENCY' }
  /** Left to an operator: contradicting reports, several matching members, or a member who registered too late. */
  | { outcome: 'DISPUTED' | AmbiguousSender['reason'] };

/**
 * Credits a reported transfer to a member's wallet at most once. One commit assigns the member and posts the money out
 * of its current house account. For an operator's decision the rules about senders are skipped.
 */
export async function creditTransfer(deps: BankTransferDeps, request: CreditRequest): Promise<CreditOutcome> {
  const transfer = await findTransfer(deps.database, request.identity);
  if (!transfer) return { outcome: 'not_seen' };
  if (transfer.state === 'GATEWAY') return { outcome: 'belongs_to_qr' };
  const { memberId, via, note = null } = request;
  if (transfer.memberId !== null) {
    return transfer.memberId === memberId ? creditOperatorDecision(deps, transfer) : { outcome: 'already_other' };
  }
  const objection = await findObjection(deps, transfer, request);
  if (typeof objection === 'object') {
    await moveToSuspense(deps, transfer, objection.reason, objection.candidates);
    return { outcome: objection.reason };
  }
  if (objection) return { outcome: objection };
  const { amount, currency } = transfer;
  const outcome = await postCredit(deps, transfer, { memberId, via, note });
  switch (outcome) {
    case 'applied':
      return { outcome: 'credited', amount, currency, via };
    case 'replayed':
    case 'assigned_elsewhere':
    case 'stale_read':
      // The transfer was credited, assigned or moved to suspense concurrently, so read it again.
      return creditTransfer(deps, request);
    default:
      return assertNever(outcome);
  }
}

/** Credits a transfer that an operator has assigned. Idempotent. */
export async function creditOperatorDecision(
  deps: BankTransferDeps,
  transfer: IncomingTransfer,
): Promise<CreditOutcome> {
  const { id, memberId, via, amount, currency, state } = transfer;
  if (memberId === null || via === null) throw new Error(`${id} was never decided`);
  const outcome = state === 'CREDITED' ? 'replayed' : await postCredit(deps, transfer, { memberId, via, note: null });
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return { outcome: 'already_this_member', amount, currency, via };
    case 'assigned_elsewhere':
    case 'stale_read':
      throw new Error(`the transfer ${id} was decided differently: ${outcome}`);
    default:
      return assertNever(outcome);
  }
}

export const CREDIT_OUTCOMES = ['applied', 'replayed', 'assigned_elsewhere', 'stale_read', 'row_locked'] as const;
export const SUSPENSE_OUTCOMES = ['applied', 'replayed', 'already_decided', 'row_locked'] as const;

async function postCredit(
  { ledger, log }: BankTransferDeps,
  transfer: IncomingTransfer,
  { memberId, via, note }: { memberId: string; via: MatchSource; note: string | null },
): Promise<Exclude<(typeof CREDIT_OUTCOMES)[number], 'row_locked'>> {
  const { id, state, currency, amount, transRef: reference } = transfer;
  assertTransition(arrivalTransitions, state, 'CREDITED');
  const houseAccount = state === 'SUSPENSE' ? SUSPENSE_ACCOUNT : transfer.houseAccount;
  const actor = via.startsWith('operator:') ? via : `arrival:${via.toLowerCase()}`;
  const outcome = await postDeposit(
    ledger,
    { key: creditKey(transfer), memberId, houseAccount, currency, amount, reference, actor },
    {
      kind: 'arrival_credit',
      outcomes: CREDIT_OUTCOMES,
      row: { id, from: state, member: memberId, debit: houseAccount, via, note },
    },
  );
  if (outcome === 'applied')
    log.info({ reference, houseAccount: transfer.houseAccount, via }, 'incoming transfer credited');
  return outcome;
}

/**
 * Leaves a transfer to an operator, and moves its money from the receiving account to suspense.
 * @returns false when another call moved it
 */
export async function moveToSuspense(
  { ledger, log }: Pick<BankTransferDeps, 'ledger' | 'log'>,
  transfer: IncomingTransfer,
  reason: SuspenseReason,
  candidates: readonly string[],
): Promise<boolean> {
  if (transfer.state !== 'NEW') return false;
  const { id, houseAccount, currency, amount, transRef: reference } = transfer;
  assertTransition(arrivalTransitions, transfer.state, 'SUSPENSE');
  const outcome = await postWithRows(
    ledger,
    {
      key: suspenseKey(transfer),
      type: 'transfer',
      kind: 'suspense',
      debit: { houseAccount },
      credit: { houseAccount: SUSPENSE_ACCOUNT },
      currency,
      amount,
      reference,
      actor: 'arrival:feed',
    },
    { kind: 'arrival_suspense', outcomes: SUSPENSE_OUTCOMES, row: { id, reason, candidates } },
  );
  switch (outcome) {
    case 'applied':
      log.warn({ reference, houseAccount, reason }, 'incoming transfer moved to suspense');
      return true;
    case 'replayed':
    case 'already_decided':
      return false;
    default:
      return assertNever(outcome);
  }
}

type Objection = Extract<CreditOutcome['outcome'], 'contradicts' | 'CURRENCY' | 'DISPUTED'> | AmbiguousSender;

async function findObjection(
  deps: BankTransferDeps,
  transfer: IncomingTransfer,
  { memberId, via, senderOnSlip }: CreditRequest,
): Promise<Objection | undefined> {
  const { database, account } = deps;
  const [member, registeredAccount] = await Promise.all([
    account.memberById(database, memberId),
    account.bankAccountOf(database, memberId),
  ]);
  if (member?.currency !== transfer.currency) return 'CURRENCY';
  if (via.startsWith('operator:')) return undefined;
  if (transfer.reason === 'DISPUTED') return 'DISPUTED';
  if (transfer.sendingBank === WALLET_APP) {
    return plainPhone(transfer.senderAccount) === member.phone ? undefined : 'contradicts';
  }
  const sender = { account: transfer.senderAccount, name: transfer.senderName };
  if (!registeredAccount || !isPossibleSender(sender, registeredAccount)) return 'contradicts';
  // The sender in the feed was matched before. A slip proves no sender: anyone can forge one of another person's
  // transfer.
  return senderOnSlip ? findAmbiguity(deps, transfer, memberId, senderOnSlip) : undefined;
}

async function findAmbiguity(
  deps: BankTransferDeps,
  transfer: IncomingTransfer,
  memberId: string,
  senderOnSlip: Sender & { bankCode: string },
): Promise<'contradicts' | AmbiguousSender | undefined> {
  const { match } = await findSender(deps, transfer, senderOnSlip);
  if (match.match === 'SEVERAL' || match.match === 'TOO_NEW') {
    const { match: reason, candidates } = match;
    return candidates.includes(memberId) ? { reason, candidates } : 'contradicts';
  }
  return match.match === 'MEMBER' && match.memberId === memberId ? undefined : 'contradicts';
}

export type SenderMatch = {
  match: Match | { match: 'UNKNOWN_BANK' };
  /** Members who announced exactly this amount. */
  announcedBy: string[];
};

/**
 * Matches the sender of a bank transfer to a member, by every masked form of the sender.
 * @param senderOnSlip the sender in the look-up of a slip: each bank masks different digits
 */
export async function findSender(
  { database, account, readOperatorData }: Pick<BankTransferDeps, 'database' | 'account' | 'readOperatorData'>,
  transfer: IncomingTransfer,
  senderOnSlip?: Sender & { bankCode: string },
): Promise<SenderMatch> {
  const { sendingBank, senderAccount, senderName, currency, sentAt } = transfer;
  const announcements = await findAnnouncements(database, transfer);
  const announcedBy = announcements.map(({ memberId }) => memberId);
  // Only an assigned amount identifies a member: an entered amount may be a guess at another member's transfer.
  const askedMemberIds = new Set(announcements.filter(({ wasAsked }) => wasAsked).map(({ memberId }) => memberId));
  const { banks } = await readOperatorData();
  const isSendingBank = (bank: { code: string; number: string | null }): boolean =>
    bank.number === sendingBank || bank.code === senderOnSlip?.bankCode;
  const bankCodes = banks.filter(isSendingBank).map(({ code }) => code);
  if (bankCodes.length === 0) return { match: { match: 'UNKNOWN_BANK' }, announcedBy };
  const digitPattern = visibleDigits(senderAccount);
  if (digitPattern === undefined) return { match: { match: 'NOBODY' }, announcedBy };
  const holders = await account.findHolders(database, { bankCodes, digits: digitPattern, currency });
  const maskedSenders = [{ account: senderAccount, name: senderName }, ...(senderOnSlip ? [senderOnSlip] : [])];
  return { match: matchSender({ maskedSenders, sentAt }, holders, askedMemberIds), announcedBy };
}
