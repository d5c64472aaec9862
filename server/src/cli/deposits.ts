import { toDecimal } from '@krapao/contract/money';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import {
  type ParkedRefusal,
  operateDeposit,
  type ParkedPayment,
  parkedPayments,
  qrcodeQueue,
} from '../modules/deposit/qrcode/index.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';

const USAGE =
  'Write `npm run deposits` to see what waits, `npm run deposits -- ask NUMBER NAME WHY` to ask the gateway again, or `npm run deposits -- close NUMBER NAME WHY` to take it off the list.';
const MINUTE_MS = 60_000;

const WHY_NOT: Record<ParkedRefusal, string> = {
  UNKNOWN_NUMBER: 'There is no parked deposit with this number: see `npm run deposits`.',
  SETTLED: 'It is already closed.',
  NO_CODE: 'No code of ours has this reference: the gateway can not be asked.',
};

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, number, by, ...words]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  const signature = readSignature(by, words);
  if ((word !== 'ask' && word !== 'close') || !number || !signature) throw new UserError(USAGE);
  const why = await operateDeposit(database, number, word, signature);
  if (why) throw new UserError(`${number}: ${WHY_NOT[why]}`);
  const done = word === 'ask' ? 'is asked about again' : 'is closed';
  process.stdout.write(`${number} ${done}, by ${operatorName(signature)}.\n`);
  return 0;
}

async function list(database: Database): Promise<number> {
  const parked = await parkedPayments(database);
  const whoIs = await memberLabels(
    database,
    parked.flatMap(({ memberId }) => memberId ?? []),
  );
  for (const payment of parked) process.stdout.write(`${lineOf(payment, whoIs)}\n`);
  for (const item of await selectFailing(database, [qrcodeQueue])) process.stdout.write(failingItem(item));
  process.stdout.write(`${parked.length} wait for an operator\n`);
  return 0;
}

function lineOf(payment: ParkedPayment, whoIs: MemberLabel): string {
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
