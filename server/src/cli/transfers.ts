import { toDecimal } from '@krapao/contract/money';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import {
  type OperatorRefusal,
  type OpenLeg,
  openLegs,
  operateTransfer,
  type OperatorResult,
  type OperatorAction,
  transferQueue,
} from '../modules/transfer/index.ts';
import { UserError } from '../platform/errors.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { operatorName } from '../platform/operator-log.ts';
import { readAction, requireArgument, requireOneOf, requireSignature, unknownAction } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE =
  'Write `krapao transfers` to see what is open, `krapao transfers settle REFERENCE applied|refused NAME WHY` for one that is MANUAL, `krapao transfers manual REFERENCE NAME WHY` for one that is UNKNOWN, or `krapao transfers inquire REFERENCE NAME WHY` to ask the provider now (until the next release also `ask`).';
const PROOF_BY_OUTCOME = { applied: 'APPLIED', refused: 'REFUSED' } as const;
const MINUTE_MS = 60_000;

const WHY_NOT: Record<OperatorRefusal, string> = {
  unknown_reference: 'There is no such transfer: see `krapao transfers`.',
  not_this_state: 'Its state does not allow that',
  decided: 'It is settled already',
  inquiry_pending: 'The provider is being asked about it again already.',
  too_young: 'Its call was sent less than five minutes ago and may still take effect: wait.',
};

export const transfers = withDatabase(async ([actionWord, reference, ...rest], context) => {
  const action = readAction(actionWord);
  if (action === undefined) return list(context);
  if (action === 'manual' || action === 'inquire') return operate(context, reference, { command: action }, rest);
  if (action !== 'settle') throw unknownAction(action, USAGE);
  const [outcome, ...signed] = rest;
  requireArgument(reference, 'REFERENCE', USAGE);
  const word = requireOneOf(['applied', 'refused'], outcome, { name: 'The outcome', usage: USAGE });
  return operate(context, reference, { command: 'settle', proof: PROOF_BY_OUTCOME[word] }, signed);
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const open = await openLegs(database);
  const labelOf = await memberLabels(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const leg of open) print(`${formatRow(leg, labelOf)}\n`);
  const manualCount = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [transferQueue])) print(failingItem(item));
  print(`${open.length} open, ${manualCount} wait for an operator\n`);
  return 0;
}

function formatRow(leg: OpenLeg, labelOf: MemberLabel): string {
  const { providerReference, state, memberId, gameCode, provider, username, direction, amount, currency, credits } =
    leg;
  return [
    providerReference.padEnd(16),
    state.padEnd(7),
    `${Math.floor(leg.ageMs / MINUTE_MS)} min`.padStart(9),
    `${toDecimal(amount)} ${currency}`.padStart(18),
    `${toDecimal(credits)} credits`.padStart(20),
    `${direction === 'in' ? 'to' : 'from'} ${gameCode} at ${provider}, player ${username}`,
    `member ${labelOf(memberId)}`,
    formatFacts(leg),
  ].join('  ');
}

function formatFacts({ inquiries, absences, note, proof, proofBy, isInquiryRequested, ...leg }: OpenLeg): string {
  const facts = [`asked ${inquiries}, not found ${absences}`];
  if (leg.balanceBefore !== null) facts.push(`${toDecimal(leg.balanceBefore)} credits before`);
  if (leg.balanceSeen !== null) facts.push(`${toDecimal(leg.balanceSeen)} when last seen`);
  if (leg.turnoverBefore !== null) facts.push(`turnover ${toDecimal(leg.turnoverBefore)} before`);
  if (leg.turnoverSeen !== null) facts.push(`${toDecimal(leg.turnoverSeen)} when last seen`);
  if (proof !== null) facts.push(`proven ${proof} by ${proofBy ?? 'an unknown operator'}`);
  if (isInquiryRequested) facts.push('to be asked again');
  return `${facts.join(', ')}: ${note ?? 'no reply yet'}`;
}

async function operate(
  { database, print }: DatabaseContext,
  referenceArg: string | undefined,
  action: OperatorAction,
  [by, ...reason]: string[],
): Promise<number> {
  const reference = requireArgument(referenceArg, 'REFERENCE', USAGE);
  const signature = requireSignature(by, reason, USAGE);
  const result = await operateTransfer(database, reference, action, signature);
  if (result.outcome === 'refused') throw new UserError(`${reference}: ${explainRefusal(result)}`);
  const confirmation = { settle: 'is settled', manual: 'is MANUAL now', inquire: 'is asked about again' }[
    action.command
  ];
  const proofSuffix = action.command === 'settle' ? `: ${action.proof}` : '';
  print(
    `${result.reference} ${confirmation}${proofSuffix}, by ${operatorName(signature)}. A running server applies it within a second.\n`,
  );
  return 0;
}

function explainRefusal({ refusal, state, decidedBy }: Extract<OperatorResult, { outcome: 'refused' }>): string {
  if (refusal === 'not_this_state') return `${WHY_NOT[refusal]}, it is ${state ?? 'gone'}.`;
  if (refusal === 'decided') return `${WHY_NOT[refusal]}, by ${decidedBy ?? 'an unknown operator'}.`;
  return WHY_NOT[refusal];
}
