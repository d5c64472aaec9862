import { toDecimal } from '@krapao/contract/money';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import { operatorName } from '../platform/operator-log.ts';
import { requireSignature } from './signature.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import { decidePayout, openPayouts, type OpenWithdrawal, withdrawQueue } from '../modules/withdraw/index.ts';

const USAGE =
  'Write `krapao payouts` to see what is open, or `krapao payouts settle REFERENCE paid|failed NAME WHY` for one that is MANUAL.';
const PROOF_BY_OUTCOME = { paid: 'PAID', failed: 'FAILED' } as const;
const MINUTE_MS = 60_000;

export const payouts = withDatabase(async ([action, ...rest], context) => {
  if (action === undefined) return list(context);
  if (action !== 'settle') throw new UserError(USAGE);
  return settle(context, rest);
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const open = await openPayouts(database);
  const labelOf = await memberLabels(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const payout of open) print(`${rowOf(payout, labelOf)}\n`);
  const manualCount = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [withdrawQueue])) print(failingItem(item));
  print(`${open.length} open, ${manualCount} wait for an operator\n`);
  return 0;
}

function rowOf(payout: OpenWithdrawal, labelOf: MemberLabel): string {
  const { reference, state, isHeld, amount, currency, bankCode, accountNo, attempts, asks, note, proof } = payout;
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
    `sent ${attempts}, asked ${asks}: ${knownOutcome}`,
  ].join('  ');
}

async function settle(
  { database, print }: DatabaseContext,
  [reference, outcome, by, ...reason]: string[],
): Promise<number> {
  const proof = outcome === 'paid' || outcome === 'failed' ? PROOF_BY_OUTCOME[outcome] : undefined;
  if (!reference || !proof) throw new UserError(USAGE);
  const signature = requireSignature(by, reason, USAGE);
  if (!(await decidePayout(database, { reference, proof, ...signature }))) {
    throw new UserError(`No payout ${reference} waits for an operator: see \`krapao payouts\`.`);
  }
  print(`${reference} is decided: ${proof}, by ${operatorName(signature)}. A running server applies it at once.\n`);
  return 0;
}
