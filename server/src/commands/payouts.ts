// `npm run payouts`: unfinished withdrawals, oldest first, with what is known of each. `npm run payouts -- settle
// REFERENCE paid|failed NAME WHY…`: records an operator's decision on one that waits for it. A running server applies
// it within a second: the money is finally paid out, or back in the member's wallet.
import { toDecimal } from '@krapao/contract/money';
import { failingLine, selectFailing } from '../platform/jobs/failed-work.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/start/operator-log.ts';
import { runCommand } from '../platform/start/run-command.ts';
import { describeMembers, type WhoIs } from '../modules/account/module.ts';
import { decidePayout, openPayouts, type OpenWithdrawal, withdrawQueue } from '../modules/withdraw/module.ts';

const USAGE =
  'Write `npm run payouts` to see what is open, or `npm run payouts -- settle REFERENCE paid|failed NAME WHY` for one that is MANUAL.';
const PROOFS = { paid: 'PAID', failed: 'FAILED' } as const;
const MINUTE_MS = 60_000;

await runCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word !== 'settle') throw new CannotStart(USAGE);
  return settle(database, rest);
}

async function list(database: Database): Promise<number> {
  const open = await openPayouts(database);
  const whoIs = await describeMembers(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const payout of open) process.stdout.write(`${lineOf(payout, whoIs)}\n`);
  const manual = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [withdrawQueue])) process.stdout.write(failingLine(item));
  process.stdout.write(`${open.length} open, ${manual} wait for an operator\n`);
  return 0;
}

function lineOf(payout: OpenWithdrawal, whoIs: WhoIs): string {
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
  if (!reference || !proof || !signature) throw new CannotStart(USAGE);
  if (!(await decidePayout(database, { reference, proof, ...signature }))) {
    throw new CannotStart(`No payout ${reference} waits for an operator: see \`npm run payouts\`.`);
  }
  process.stdout.write(
    `${reference} is decided: ${proof}, by ${operatorName(signature)}. A running server applies it at once.\n`,
  );
  return 0;
}
