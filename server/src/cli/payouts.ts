import { toDecimal } from '@krapao/contract/money';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import { decidePayout, openPayouts, type OpenWithdrawal, withdrawQueue } from '../modules/withdraw/index.ts';

const USAGE =
  'Write `npm run payouts` to see what is open, or `npm run payouts -- settle REFERENCE paid|failed NAME WHY` for one that is MANUAL.';
const PROOFS = { paid: 'PAID', failed: 'FAILED' } as const;
const MINUTE_MS = 60_000;

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word !== 'settle') throw new UserError(USAGE);
  return settle(database, rest);
}

async function list(database: Database): Promise<number> {
  const open = await openPayouts(database);
  const whoIs = await memberLabels(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const payout of open) process.stdout.write(`${lineOf(payout, whoIs)}\n`);
  const manual = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [withdrawQueue])) process.stdout.write(failingItem(item));
  process.stdout.write(`${open.length} open, ${manual} wait for an operator\n`);
  return 0;
}

function lineOf(payout: OpenWithdrawal, whoIs: MemberLabel): string {
  const { reference, state, isHeld, amount, currency, bankCode, accountNo, attempts, asks, note, proof } = payout;
  const known = proof === null ? (note ?? (isHeld ? 'nothing yet' : 'its money is not held yet')) : `decided: ${proof}`;
  const minutes = Math.floor(payout.ageMs / MINUTE_MS);
  return [
    reference,
    state.padEnd(8),
    `${minutes} min`.padStart(9),
    `${toDecimal(amount)} ${currency}`.padStart(18),
    `${payout.paidFrom} to ${bankCode} ${accountNo}`,
    `member ${whoIs(payout.memberId)}`,
    `sent ${attempts}, asked ${asks}: ${known}`,
  ].join('  ');
}

async function settle(database: Database, [reference, word, by, ...why]: string[]): Promise<number> {
  const proof = word === 'paid' || word === 'failed' ? PROOFS[word] : undefined;
  const signature = readSignature(by, why);
  if (!reference || !proof || !signature) throw new UserError(USAGE);
  if (!(await decidePayout(database, { reference, proof, ...signature }))) {
    throw new UserError(`No payout ${reference} waits for an operator: see \`npm run payouts\`.`);
  }
  process.stdout.write(
    `${reference} is decided: ${proof}, by ${operatorName(signature)}. A running server applies it at once.\n`,
  );
  return 0;
}
