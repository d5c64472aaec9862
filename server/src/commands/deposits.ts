// `npm run deposits`: payments reported by gateways that no rule can credit, oldest first, with what is known of each.
// `npm run deposits -- ask NUMBER NAME WHY…`: asks the gateway again. `-- close NUMBER NAME WHY…`: takes it off the
// list. Neither moves money by itself; a running server asks within a second.
import { toDecimal } from '@krapao/contract/money';
import { describeMembers, type WhoIs } from '../modules/account/module.ts';
import {
  type DepositHindrance,
  operateDeposit,
  type ParkedPayment,
  parkedPayments,
  qrcodeQueue,
} from '../modules/deposit/qrcode/module.ts';
import { failingLine, selectFailing } from '../platform/jobs/failed-work.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/start/operator-log.ts';
import { runCommand } from '../platform/start/run-command.ts';

const USAGE =
  'Write `npm run deposits` to see what waits, `npm run deposits -- ask NUMBER NAME WHY` to ask the gateway again, or `npm run deposits -- close NUMBER NAME WHY` to take it off the list.';
const MINUTE_MS = 60_000;

const WHY_NOT: Record<DepositHindrance, string> = {
  UNKNOWN_NUMBER: 'There is no parked deposit with this number: see `npm run deposits`.',
  SETTLED: 'It is already closed.',
  NO_CODE: 'No code of ours has this reference: the gateway can not be asked.',
};

await runCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, number, by, ...words]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  const signature = readSignature(by, words);
  if ((word !== 'ask' && word !== 'close') || !number || !signature) throw new CannotStart(USAGE);
  const why = await operateDeposit(database, number, word, signature);
  if (why) throw new CannotStart(`${number}: ${WHY_NOT[why]}`);
  const done = word === 'ask' ? 'is asked about again' : 'is closed';
  process.stdout.write(`${number} ${done}, by ${operatorName(signature)}.\n`);
  return 0;
}

async function list(database: Database): Promise<number> {
  const parked = await parkedPayments(database);
  const whoIs = await describeMembers(
    database,
    parked.flatMap(({ memberId }) => memberId ?? []),
  );
  for (const payment of parked) process.stdout.write(`${lineOf(payment, whoIs)}\n`);
  for (const item of await selectFailing(database, [qrcodeQueue])) process.stdout.write(failingLine(item));
  process.stdout.write(`${parked.length} wait for an operator\n`);
  return 0;
}

function lineOf(payment: ParkedPayment, whoIs: WhoIs): string {
  const { id, gateway, reference, reason, evidence, times, ageMs, state, amount, currency, memberId } = payment;
  return [
    String(id).padStart(4),
    `${gateway} ${reference}`,
    reason.padEnd(10),
    `${Math.floor(ageMs / MINUTE_MS)} min`.padStart(9),
    (amount === null || currency === null ? '?' : `${toDecimal(amount)} ${currency}`).padStart(18),
    state === null || memberId === null ? 'no code of ours' : `code ${state}, member ${whoIs(memberId)}`,
    `reported ${times} times: ${evidence || 'no details'}`,
  ].join('  ');
}
