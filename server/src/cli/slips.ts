import { type SlipReason, slipReasons } from '@krapao/contract/endpoints/deposit/slip';
import { toDecimal } from '@krapao/contract/money';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import {
  type IncomingTransfer,
  type SuspendedTransfer,
  suspendedTransfers,
} from '../modules/deposit/bank-transfer/index.ts';
import {
  operateSlip,
  type SlipRefusal,
  type ListedSlip,
  type SlipActionResult,
  type SlipAction,
  waitingSlips,
  slipQueue,
} from '../modules/deposit/slip/index.ts';
import { UserError } from '../platform/errors.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { operatorName } from '../platform/operator-log.ts';
import { timeOf } from '../platform/time.ts';
import { readAction, requireArgument, requireOneOf, requireSignature, unknownAction } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE = `Write \`krapao slips\` to see what waits, \`krapao slips approve REFERENCE BANK TRANSREF NAME WHY\` to credit the transfer that a slip shows, \`krapao slips refuse REFERENCE CODE NAME WHY\` with one of ${slipReasons.join(', ')}, or \`krapao slips inquire REFERENCE NAME WHY\` (until the next release also \`ask\`).`;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A transfer is a candidate for a slip if it was sent at most this long before or after the upload. */
const AROUND_MS = { before: 24 * HOUR_MS, after: HOUR_MS };
const CANDIDATES_MAX = 10;

const WHY_NOT: Record<SlipRefusal, string> = {
  unknown_reference: 'There is no such slip: see `krapao slips`.',
  not_this_state: 'It does not wait for an operator',
  decided: 'It is decided already',
  other_transfer: 'Its code names another transfer.',
  no_transfer:
    'That transfer has not been reported yet: ask about the slip again, or have the feed of the account read.',
  taken: 'That transfer is already credited, or belongs to a gateway.',
  currency: "The member's wallet has another currency.",
};

export const slips = withDatabase(async ([actionWord, reference, ...rest], context) => {
  const action = readAction(actionWord);
  if (action === undefined) return list(context);
  if (action !== 'approve' && action !== 'refuse' && action !== 'inquire') throw unknownAction(action, USAGE);
  const slip = requireArgument(reference, 'REFERENCE', USAGE);
  if (action === 'inquire') return operate(context, slip, { command: 'inquire' }, rest);
  const [firstArg, secondArg] = rest;
  if (action === 'approve') {
    const sendingBank = requireArgument(firstArg, 'BANK', USAGE);
    const transRef = requireArgument(secondArg, 'TRANSREF', USAGE);
    return operate(context, slip, { command: 'approve', identity: { sendingBank, transRef } }, rest.slice(2));
  }
  const reason = requireOneOf<SlipReason>(slipReasons, firstArg, { name: 'CODE', usage: USAGE });
  return operate(context, slip, { command: 'refuse', reason }, rest.slice(1));
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const [waitingSlipRows, suspendedRows] = await Promise.all([waitingSlips(database), suspendedTransfers(database)]);
  const labelOf = await memberLabels(database, [
    ...waitingSlipRows.flatMap(namedBySlip),
    ...suspendedRows.flatMap(namedByTransfer),
  ]);
  for (const slip of waitingSlipRows) {
    print(`${rowOf(slip, labelOf)}\n`);
    for (const transfer of candidatesOf(slip, suspendedRows)) print(`    ${transferLine(transfer, labelOf)}\n`);
  }
  for (const item of await selectFailing(database, [slipQueue])) print(failingItem(item));
  print(`${waitingSlipRows.length} slips wait for an operator\n`);
  return 0;
}

function namedBySlip({ memberId, alsoSentBy, transfer }: ListedSlip): string[] {
  return [memberId, ...alsoSentBy, ...(transfer ? namedByTransfer(transfer) : [])];
}

function namedByTransfer({ memberId, candidates }: IncomingTransfer): string[] {
  return memberId === null ? candidates : [memberId, ...candidates];
}

function rowOf(slip: ListedSlip, labelOf: MemberLabel): string {
  const { from, to, amount, currency, sendingBank, transRef, alsoSentBy } = slip;
  return [
    slip.reference,
    String(slip.reason).padEnd(16),
    `${Math.floor(slip.ageMs / MINUTE_MS)} min`.padStart(9),
    `${amount === null ? '?' : toDecimal(amount)} ${currency}`.padStart(18),
    `member ${labelOf(slip.memberId)}`,
    from && to ? `from ${endOf(from)} to ${endOf(to)}` : 'the bank has not reported',
    sendingBank === null || transRef === null ? 'not read' : `names ${sendingBank} ${transRef}`,
    slip.imageKey ?? 'no picture',
    ...(alsoSentBy.length === 0 ? [] : [`also sent by ${alsoSentBy.map(labelOf).join(' ')}`]),
  ].join('  ');
}

function endOf({ bankCode, accountNo, name }: { bankCode: string; accountNo: string; name: string }): string {
  return `${bankCode} ${accountNo} ${name}`.trim();
}

// The transfer that the slip's QR code names. Without a code: unassigned transfers sent around that time.
function candidatesOf(slip: ListedSlip, suspendedRows: readonly SuspendedTransfer[]): IncomingTransfer[] {
  if (slip.transfer) return [slip.transfer];
  if (slip.transRef !== null) return [];
  const isAround = ({ sentAt, currency, amount }: IncomingTransfer): boolean => {
    const leadMs = slip.createdAt.getTime() - sentAt.getTime();
    const isTime = leadMs < AROUND_MS.before && leadMs > -AROUND_MS.after;
    return isTime && currency === slip.currency && (slip.amount === null || slip.amount === amount);
  };
  return suspendedRows.filter(isAround).slice(0, CANDIDATES_MAX);
}

function transferLine(transfer: IncomingTransfer, labelOf: MemberLabel): string {
  const {
    sendingBank,
    transRef,
    amount,
    currency,
    houseAccount,
    senderAccount,
    senderName,
    state,
    reason,
    candidates,
  } = transfer;
  return [
    `transfer ${sendingBank} ${transRef}`,
    `${toDecimal(amount)} ${currency}`,
    `at ${timeOf(transfer.sentAt)} to ${houseAccount}`,
    `from ${senderAccount || 'unknown account'} ${senderName}`.trim(),
    reason === null ? state : `${state} ${reason}`,
    transfer.memberId === null
      ? `could be ${candidates.map(labelOf).join(' ') || 'unknown'}`
      : `credited to ${labelOf(transfer.memberId)}`,
  ].join('  ');
}

async function operate(
  { database, print }: DatabaseContext,
  reference: string,
  action: SlipAction,
  [by, ...reason]: string[],
): Promise<number> {
  const signature = requireSignature(by, reason, USAGE);
  const result = await operateSlip(database, reference, action, signature);
  if (result.outcome === 'refused') throw new UserError(`${reference}: ${refusalOf(result)}`);
  const confirmation = { approve: 'is approved', refuse: 'is refused', inquire: 'is asked about again' }[
    action.command
  ];
  print(`${reference} ${confirmation}, by ${operatorName(signature)}. A running server applies it within a second.\n`);
  return 0;
}

function refusalOf({ why, state, by }: Extract<SlipActionResult, { outcome: 'refused' }>): string {
  if (why === 'not_this_state') return `${WHY_NOT[why]}, it is ${state ?? 'gone'}.`;
  if (why === 'decided') return `${WHY_NOT[why]}, by ${by ?? 'an unknown operator'}.`;
  return WHY_NOT[why];
}
