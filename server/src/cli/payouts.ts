import { toDecimal } from '@krapao/contract/money';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import {
  openPayouts,
  type OpenWithdrawal,
  operatePayout,
  type PayoutAction,
  type PayoutRefusal,
  type PayoutResult,
  withdrawQueue,
} from '../modules/withdraw/index.ts';
import { UserError } from '../platform/errors.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { operatorName } from '../platform/operator-log.ts';
import { requireArgument, requireOneOf, requireSignature, unknownAction } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE =
  'Write `krapao payouts` to see what is open, `krapao payouts inquire REFERENCE NAME WHY` to ask the bank now, `krapao payouts manual REFERENCE NAME WHY` to take it out of automatic work, or `krapao payouts settle REFERENCE paid|failed NAME WHY` for one that is MANUAL.';
const PROOF_BY_OUTCOME = { paid: 'PAID', failed: 'FAILED' } as const;
const MINUTE_MS = 60_000;
const CONFIRMATIONS = { settle: 'is decided', manual: 'is MANUAL now', inquire: 'is asked about now' } as const;
const NEXT_STEPS = {
  settle: ' A running server applies it immediately.',
  manual: ' The bank is no longer asked; a callback of the bank still ends it.',
  inquire: ' A running server asks the bank within a second.',
} as const;

const WHY_NOT: Record<PayoutRefusal, string> = {
  unknown_reference: 'There is no such payout: see `krapao payouts`.',
  not_this_state: 'Its state does not allow that',
  decided: 'It is decided already',
  too_young: 'It was sent to the bank less than five minutes ago and may still take effect: wait.',
};

export const payouts = withDatabase(async ([action, reference, ...rest], context) => {
  if (action === undefined) return list(context);
  if (action === 'manual' || action === 'inquire') return operate(context, reference, { command: action }, rest);
  if (action !== 'settle') throw unknownAction(action, USAGE);
  const [outcome, ...signed] = rest;
  requireArgument(reference, 'REFERENCE', USAGE);
  const word = requireOneOf(['paid', 'failed'], outcome, { name: 'The outcome', usage: USAGE });
  return operate(context, reference, { command: 'settle', proof: PROOF_BY_OUTCOME[word] }, signed);
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const open = await openPayouts(database);
  const labelOf = await memberLabels(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const payout of open) print(`${formatRow(payout, labelOf)}\n`);
  const manualCount = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [withdrawQueue])) print(failingItem(item));
  print(`${open.length} open, ${manualCount} wait for an operator\n`);
  return 0;
}

function formatRow(payout: OpenWithdrawal, labelOf: MemberLabel): string {
  const { reference, state, isHeld, amount, currency, bankCode, accountNo, attempts, inquiries, note, proof } = payout;
  const knownOutcome =
    proof === null ? (note ?? (isHeld ? 'nothing yet' : 'its money is not held yet')) : `decided: ${proof}`;
  const minutes = Math.floor(payout.ageMs / MINUTE_MS);
  return [
    reference,
    state.padEnd(8),
    `${minutes} min`.padStart(9),
    `${toDecimal(amount)} ${currency}`.padStart(18),
    `${payout.paidFrom} to ${bankCode} ${accountNo}`,
    `member ${labelOf(payout.memberId)}`,
    `sent ${attempts}, asked ${inquiries}: ${knownOutcome}`,
  ].join('  ');
}

async function operate(
  { database, print }: DatabaseContext,
  referenceArg: string | undefined,
  action: PayoutAction,
  [by, ...reason]: string[],
): Promise<number> {
  const reference = requireArgument(referenceArg, 'REFERENCE', USAGE);
  const signature = requireSignature(by, reason, USAGE);
  const result = await operatePayout(database, reference, action, signature);
  if (result.outcome === 'refused') throw new UserError(`${reference}: ${explainRefusal(result)}`);
  const proofSuffix = action.command === 'settle' ? `: ${action.proof}` : '';
  print(
    `${reference} ${CONFIRMATIONS[action.command]}${proofSuffix}, by ${operatorName(signature)}.${NEXT_STEPS[action.command]}\n`,
  );
  return 0;
}

function explainRefusal({ refusal, state, decidedBy }: Extract<PayoutResult, { outcome: 'refused' }>): string {
  if (refusal === 'not_this_state') return `${WHY_NOT[refusal]}, it is ${state ?? 'gone'}.`;
  if (refusal === 'decided') return `${WHY_NOT[refusal]}, by ${decidedBy ?? 'an unknown operator'}.`;
  return WHY_NOT[refusal];
}
