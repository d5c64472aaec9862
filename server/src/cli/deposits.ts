import { parseDecimal, toDecimal } from '@krapao/contract/money';
import { memberLabels, memberOfPhone, type MemberLabel } from '../modules/account/index.ts';
import {
  arrivalQueue,
  closeFeedEntry,
  assignTransfer,
  enterFeedEntry,
  type FeedEntryError,
  selectOpenLines,
  selectUnreadFeeds,
  type SuspendedTransfer,
  suspendedTransfers,
} from '../modules/deposit/bank-transfer/index.ts';
import {
  operateDeposit,
  type ParkedPayment,
  parkedPayments,
  type ParkedRefusal,
  qrcodeQueue,
} from '../modules/deposit/qrcode/index.ts';
import { giftQueue, retryGift, unresolvedGifts } from '../modules/deposit/truelink/index.ts';
import { UserError } from '../platform/errors.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { operatorName } from '../platform/operator-log.ts';
import { readAction, requireArgument, requireSignature, unknownAction } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const DEPOSITS_USAGE =
  'Write `krapao deposits` to see what waits, `krapao deposits inquire NUMBER NAME WHY` to ask the gateway again (until the next release also `ask`), or `krapao deposits close NUMBER NAME WHY` to take it off the list.';
export const ARRIVALS_USAGE =
  'Write `krapao arrivals` to see what waits, `krapao arrivals settle BANK TRANSREF PHONE NAME WHY` to credit a transfer to a member, `krapao arrivals enter NUMBER BANK TRANSREF AMOUNT PHONE NAME WHY` to enter the transfer of a failed line, `krapao arrivals close NUMBER NAME WHY` to take a line off the list, or `krapao arrivals inquire REFERENCE NAME WHY` for a gift link (until the next release also `ask`).';
const MINUTE_MS = 60_000;

const PAYMENT_REFUSALS: Record<ParkedRefusal, string> = {
  unknown_number: 'There is no parked deposit with this number: see `krapao deposits`.',
  settled: 'It is already closed.',
  no_code: 'Unknown code: no gateway can be asked about this reference.',
};

export const deposits = withDatabase(async ([actionWord, numberArg, by, ...reason], context) => {
  const action = readAction(actionWord);
  if (action === undefined) return listPayments(context);
  const { database, print } = context;
  if (action !== 'inquire' && action !== 'close') throw unknownAction(action, DEPOSITS_USAGE);
  const number = requireArgument(numberArg, 'NUMBER', DEPOSITS_USAGE);
  const signature = requireSignature(by, reason, DEPOSITS_USAGE);
  const refusal = await operateDeposit(database, number, action, signature);
  if (refusal) throw new UserError(`${number}: ${PAYMENT_REFUSALS[refusal]}`);
  const confirmation = action === 'inquire' ? 'is asked about again' : 'is closed';
  print(`${number} ${confirmation}, by ${operatorName(signature)}.\n`);
  return 0;
});

async function listPayments({ database, print }: DatabaseContext): Promise<number> {
  const parkedDeposits = await parkedPayments(database);
  const labelOf = await memberLabels(
    database,
    parkedDeposits.flatMap(({ memberId }) => memberId ?? []),
  );
  for (const payment of parkedDeposits) print(`${paymentRow(payment, labelOf)}\n`);
  for (const item of await selectFailing(database, [qrcodeQueue])) print(failingItem(item));
  print(`${parkedDeposits.length} wait for an operator\n`);
  return 0;
}

function paymentRow(payment: ParkedPayment, labelOf: MemberLabel): string {
  const { id, gateway, reference, reason, evidence, times, ageMs, state, amount, currency, memberId } = payment;
  return [
    String(id).padStart(4),
    `${gateway} ${reference}`,
    reason.padEnd(10),
    `${Math.floor(ageMs / MINUTE_MS)} min`.padStart(9),
    (amount === null || currency === null ? '?' : `${toDecimal(amount)} ${currency}`).padStart(18),
    state === null || memberId === null ? 'unknown code' : `code ${state}, member ${labelOf(memberId)}`,
    `reported ${times} times: ${evidence || 'no details'}`,
  ].join('  ');
}

export const arrivals = withDatabase(async ([actionWord, ...rest], context) => {
  const action = readAction(actionWord);
  if (action === undefined) return listArrivals(context);
  if (action === 'settle') return settleTransfer(context, rest);
  if (action === 'enter') return enterFeedLine(context, rest);
  if (action === 'close') return closeFeedLine(context, rest);
  if (action === 'inquire') return inquireAboutGift(context, rest);
  throw unknownAction(action, ARRIVALS_USAGE);
});

async function listArrivals({ database, print }: DatabaseContext): Promise<number> {
  const [suspended, feedLines, unreadFeeds, gifts] = await Promise.all([
    suspendedTransfers(database),
    selectOpenLines(database),
    selectUnreadFeeds(database),
    unresolvedGifts(database),
  ]);
  const memberIds = [...suspended.flatMap(({ candidates }) => candidates), ...gifts.map(({ memberId }) => memberId)];
  const labelOf = await memberLabels(database, memberIds);
  for (const transfer of suspended) print(`${transferRow(transfer, labelOf)}\n`);
  for (const { id, feed, ageMs, error, line } of feedLines) {
    const age = `${Math.floor(ageMs / MINUTE_MS)} min`;
    print(`line ${id}  ${age.padStart(9)}  ${feed}  ${error}: ${line}\n`);
  }
  for (const { name, unreadMs, silences } of unreadFeeds) {
    const minutes = Math.floor(unreadMs / MINUTE_MS);
    print(`feed ${name}  not read for ${minutes} min  ${silences} reads without a reply\n`);
  }
  for (const { reference, memberId } of gifts) print(`gift ${reference}  member ${labelOf(memberId)}\n`);
  for (const item of await selectFailing(database, [arrivalQueue, giftQueue])) print(failingItem(item));
  print(
    `${suspended.length} transfers wait, ${feedLines.length} lines failed, ${unreadFeeds.length} feeds unread, ${gifts.length} gifts open\n`,
  );
  return 0;
}

function transferRow(arrival: SuspendedTransfer, labelOf: MemberLabel): string {
  const { sendingBank, transRef, houseAccount, amount, currency, senderAccount, senderName, reason, candidates } =
    arrival;
  return [
    `${sendingBank} ${transRef}`,
    `${Math.floor(arrival.ageMs / MINUTE_MS)} min`.padStart(9),
    `${toDecimal(amount)} ${currency}`.padStart(18),
    `to ${houseAccount}`,
    `from ${senderAccount || 'unknown account'} ${senderName}`.trim(),
    String(reason),
    candidates.length === 0 ? 'no candidates' : `could be ${candidates.map(labelOf).join(' ')}`,
  ].join('  ');
}

async function settleTransfer(
  { database, print }: DatabaseContext,
  [bankArg, transRefArg, phoneArg, by, ...reason]: string[],
): Promise<number> {
  const bank = requireArgument(bankArg, 'BANK', ARRIVALS_USAGE);
  const transRef = requireArgument(transRefArg, 'TRANSREF', ARRIVALS_USAGE);
  const phone = requireArgument(phoneArg, 'PHONE', ARRIVALS_USAGE);
  const signature = requireSignature(by, reason, ARRIVALS_USAGE);
  const decision = { identity: { sendingBank: bank, transRef }, idOrPhone: phone, ...signature };
  const assignment = await assignTransfer(database, decision, memberOfPhone);
  if (assignment === 'no_member')
    throw new UserError(`NO_USER: no member has the phone ${phone} and a wallet of that currency.`);
  if (assignment === 'not_waiting')
    throw new UserError(`No transfer ${bank} ${transRef} waits: see \`krapao arrivals\`.`);
  print(
    `${bank} ${transRef} goes to ${phone}, by ${operatorName(signature)}. A running server follows within a second.\n`,
  );
  return 0;
}

const FEED_ENTRY_ERRORS: Record<FeedEntryError, string> = {
  unknown_number: 'there is no line with this number: see `krapao arrivals`.',
  settled: 'it is already settled.',
  no_currency: 'its account is no longer configured: close the line and credit the money in another way.',
  known: 'this transfer is already recorded: settle it if `krapao arrivals` lists it, else close the line.',
  no_member: 'no member has this phone and a wallet of that currency.',
  identity: 'BANK is the three-digit number of the sending bank, or WALLET_APP, and TRANSREF its reference.',
};

async function enterFeedLine(
  { database, print }: DatabaseContext,
  [idArg, bankArg, transRefArg, amountText, phoneArg, by, ...reason]: string[],
): Promise<number> {
  const id = requireArgument(idArg, 'NUMBER', ARRIVALS_USAGE);
  const bank = requireArgument(bankArg, 'BANK', ARRIVALS_USAGE);
  const transRef = requireArgument(transRefArg, 'TRANSREF', ARRIVALS_USAGE);
  const amount = parseDecimal(requireArgument(amountText, 'AMOUNT', ARRIVALS_USAGE));
  const phone = requireArgument(phoneArg, 'PHONE', ARRIVALS_USAGE);
  if (amount === undefined || amount <= 0n) {
    throw new UserError(
      `AMOUNT is more than 0 with at most two decimals, such as 250.00, not ${JSON.stringify(amountText)}. ${ARRIVALS_USAGE}`,
    );
  }
  const signature = requireSignature(by, reason, ARRIVALS_USAGE);
  const identity = { sendingBank: bank, transRef };
  const refusal = await enterFeedEntry(
    database,
    { id, identity, amount, idOrPhone: phone, ...signature },
    memberOfPhone,
  );
  if (refusal) throw new UserError(`Line ${id}: ${FEED_ENTRY_ERRORS[refusal]}`);
  print(
    `Line ${id} is entered as ${bank} ${transRef} and goes to ${phone}, by ${operatorName(signature)}. A running server follows within a second.\n`,
  );
  return 0;
}

async function closeFeedLine({ database, print }: DatabaseContext, [idArg, by, ...reason]: string[]): Promise<number> {
  const id = requireArgument(idArg, 'NUMBER', ARRIVALS_USAGE);
  const signature = requireSignature(by, reason, ARRIVALS_USAGE);
  const refusal = await closeFeedEntry(database, { id, ...signature });
  if (refusal) throw new UserError(`Line ${id}: ${FEED_ENTRY_ERRORS[refusal]}`);
  print(`Line ${id} is closed, by ${operatorName(signature)}.\n`);
  return 0;
}

async function inquireAboutGift(
  { database, print }: DatabaseContext,
  [referenceArg, by, ...reason]: string[],
): Promise<number> {
  const reference = requireArgument(referenceArg, 'REFERENCE', ARRIVALS_USAGE);
  const signature = requireSignature(by, reason, ARRIVALS_USAGE);
  if (!(await retryGift(database, reference, signature)))
    throw new UserError(`No gift ${reference} waits for an operator.`);
  print(`${reference} is asked about again. A running server does so within a second.\n`);
  return 0;
}
