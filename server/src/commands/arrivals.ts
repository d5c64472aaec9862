// `npm run arrivals`: money received on our accounts that waits for an operator, oldest first, with the reason and the
// candidate members; unreadable lines of feeds; gift links whose outcome could not be resolved. `npm run arrivals --
// settle BANK TRANSREF PHONE NAME WHY…`: credits a transfer to a member. `npm run arrivals -- ask REFERENCE NAME WHY…`:
// asks the wallet app about a gift link again. A running server follows within a second.
import { toDecimal } from '@krapao/contract/money';
import { memberOfPhone, describeMembers, type WhoIs } from '../modules/account/module.ts';
import {
  decideArrival,
  type SuspendedArrival,
  suspendedArrivals,
  unreadableLines,
} from '../modules/deposit/bank-transfer/module.ts';
import { askAboutGift, stuckGifts } from '../modules/deposit/truelink/module.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/start/operator-log.ts';
import { runCommand } from '../platform/start/run-command.ts';

const USAGE =
  'Write `npm run arrivals` to see what waits, `npm run arrivals -- settle BANK TRANSREF PHONE NAME WHY` to credit a transfer to a member, or `npm run arrivals -- ask REFERENCE NAME WHY` for a gift link.';
const MINUTE_MS = 60_000;

await runCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word === 'settle') return settle(database, rest);
  if (word === 'ask') return ask(database, rest);
  throw new CannotStart(USAGE);
}

async function list(database: Database): Promise<number> {
  const [waiting, lines, gifts] = await Promise.all([
    suspendedArrivals(database),
    unreadableLines(database),
    stuckGifts(database),
  ]);
  const named = [...waiting.flatMap(({ candidates }) => candidates), ...gifts.map(({ memberId }) => memberId)];
  const whoIs = await describeMembers(database, named);
  for (const arrival of waiting) process.stdout.write(`${lineOf(arrival, whoIs)}\n`);
  for (const { feed, line } of lines) process.stdout.write(`${feed}  unreadable line: ${line}\n`);
  for (const { reference, memberId } of gifts) process.stdout.write(`gift ${reference}  member ${whoIs(memberId)}\n`);
  process.stdout.write(`${waiting.length} transfers wait, ${lines.length} lines unread, ${gifts.length} gifts open\n`);
  return 0;
}

function lineOf(arrival: SuspendedArrival, whoIs: WhoIs): string {
  const { sendingBank, transRef, house, amount, currency, senderAccount, senderName, reason, candidates } = arrival;
  return [
    `${sendingBank} ${transRef}`,
    `${Math.floor(arrival.ageMs / MINUTE_MS)} min`.padStart(9),
    `${toDecimal(amount)} ${currency}`.padStart(18),
    `to ${house}`,
    `from ${senderAccount || 'unknown account'} ${senderName}`.trim(),
    String(reason),
    candidates.length === 0 ? 'no candidates' : `could be ${candidates.map(whoIs).join(' ')}`,
  ].join('  ');
}

async function settle(database: Database, [bank, transRef, phone, by, ...words]: string[]): Promise<number> {
  const signature = readSignature(by, words);
  if (!bank || !transRef || !phone || !signature) throw new CannotStart(USAGE);
  const decision = { identity: { sendingBank: bank, transRef }, whom: phone, ...signature };
  const done = await decideArrival(database, decision, memberOfPhone);
  if (done === 'NO_MEMBER')
    throw new CannotStart(`NO_USER: no member has the phone ${phone} and a wallet of that currency.`);
  if (done === 'NOT_WAITING') throw new CannotStart(`No transfer ${bank} ${transRef} waits: see \`npm run arrivals\`.`);
  process.stdout.write(
    `${bank} ${transRef} goes to ${phone}, by ${operatorName(signature)}. A running server follows at once.\n`,
  );
  return 0;
}

async function ask(database: Database, [reference, by, ...words]: string[]): Promise<number> {
  const signature = readSignature(by, words);
  if (!reference || !signature) throw new CannotStart(USAGE);
  if (!(await askAboutGift(database, reference, signature)))
    throw new CannotStart(`No gift ${reference} waits for an operator.`);
  process.stdout.write(`${reference} is asked about again. A running server does so at once.\n`);
  return 0;
}
