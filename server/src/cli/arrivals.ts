import { parseDecimal, toDecimal } from '@krapao/contract/money';
import { memberOfPhone, memberLabels, type MemberLabel } from '../modules/account/index.ts';
import {
  closeFeedEntry,
  assignTransfer,
  enterFeedEntry,
  type FeedEntryRefusal,
  selectOpenLines,
  selectUnreadFeeds,
  type SuspendedTransfer,
  suspendedTransfers,
  arrivalQueue,
} from '../modules/deposit/bank-transfer/index.ts';
import { retryGift, unresolvedGifts, giftQueue } from '../modules/deposit/truelink/index.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';

const USAGE =
  'Write `npm run arrivals` to see what waits, `npm run arrivals -- settle BANK TRANSREF PHONE NAME WHY` to credit a transfer to a member, `npm run arrivals -- enter NUMBER BANK TRANSREF AMOUNT PHONE NAME WHY` to enter the transfer of a failed line, `npm run arrivals -- close NUMBER NAME WHY` to take a line off the list, or `npm run arrivals -- ask REFERENCE NAME WHY` for a gift link.';
const MINUTE_MS = 60_000;

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word === 'settle') return settle(database, rest);
  if (word === 'enter') return enter(database, rest);
  if (word === 'close') return close(database, rest);
  if (word === 'ask') return ask(database, rest);
  throw new UserError(USAGE);
}

async function list(database: Database): Promise<number> {
  const [waiting, lines, feeds, gifts] = await Promise.all([
    suspendedTransfers(database),
    selectOpenLines(database),
    selectUnreadFeeds(database),
    unresolvedGifts(database),
  ]);
  const named = [...waiting.flatMap(({ candidates }) => candidates), ...gifts.map(({ memberId }) => memberId)];
  const whoIs = await memberLabels(database, named);
  for (const arrival of waiting) process.stdout.write(`${lineOf(arrival, whoIs)}\n`);
  for (const { id, feed, ageMs, error, line } of lines) {
    const age = `${Math.floor(ageMs / MINUTE_MS)} min`;
    process.stdout.write(`line ${id}  ${age.padStart(9)}  ${feed}  ${error}: ${line}\n`);
  }
  for (const { name, unreadMs, silences } of feeds) {
    const minutes = Math.floor(unreadMs / MINUTE_MS);
    process.stdout.write(`feed ${name}  not read for ${minutes} min  ${silences} reads without a reply\n`);
  }
  for (const { reference, memberId } of gifts) process.stdout.write(`gift ${reference}  member ${whoIs(memberId)}\n`);
  for (const item of await selectFailing(database, [arrivalQueue, giftQueue])) process.stdout.write(failingItem(item));
  process.stdout.write(
    `${waiting.length} transfers wait, ${lines.length} lines failed, ${feeds.length} feeds unread, ${gifts.length} gifts open\n`,
  );
  return 0;
}

function lineOf(arrival: SuspendedTransfer, whoIs: MemberLabel): string {
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
  if (!bank || !transRef || !phone || !signature) throw new UserError(USAGE);
  const decision = { identity: { sendingBank: bank, transRef }, whom: phone, ...signature };
  const done = await assignTransfer(database, decision, memberOfPhone);
  if (done === 'NO_MEMBER')
    throw new UserError(`NO_USER: no member has the phone ${phone} and a wallet of that currency.`);
  if (done === 'NOT_WAITING') throw new UserError(`No transfer ${bank} ${transRef} waits: see \`npm run arrivals\`.`);
  process.stdout.write(
    `${bank} ${transRef} goes to ${phone}, by ${operatorName(signature)}. A running server follows at once.\n`,
  );
  return 0;
}

const WHY_NOT: Record<FeedEntryRefusal, string> = {
  UNKNOWN_NUMBER: 'there is no line with this number: see `npm run arrivals`.',
  SETTLED: 'it is already settled.',
  NO_CURRENCY: 'its account is no longer configured: close the line and credit the money in another way.',
  KNOWN: 'this transfer is already recorded: settle it if `npm run arrivals` lists it, else close the line.',
  NO_MEMBER: 'no member has this phone and a wallet of that currency.',
  IDENTITY: 'BANK is the three-digit number of the sending bank, or WALLET_APP, and TRANSREF its reference.',
};

async function enter(
  database: Database,
  [id, bank, transRef, amountText, phone, by, ...words]: string[],
): Promise<number> {
  const signature = readSignature(by, words);
  const amount = parseDecimal(amountText ?? '');
  if (!id || !bank || !transRef || amount === undefined || amount <= 0n || !phone || !signature)
    throw new UserError(USAGE);
  const identity = { sendingBank: bank, transRef };
  const why = await enterFeedEntry(database, { id, identity, amount, whom: phone, ...signature }, memberOfPhone);
  if (why) throw new UserError(`Line ${id}: ${WHY_NOT[why]}`);
  process.stdout.write(
    `Line ${id} is entered as ${bank} ${transRef} and goes to ${phone}, by ${operatorName(signature)}. A running server follows at once.\n`,
  );
  return 0;
}

async function close(database: Database, [id, by, ...words]: string[]): Promise<number> {
  const signature = readSignature(by, words);
  if (!id || !signature) throw new UserError(USAGE);
  const why = await closeFeedEntry(database, { id, ...signature });
  if (why) throw new UserError(`Line ${id}: ${WHY_NOT[why]}`);
  process.stdout.write(`Line ${id} is closed, by ${operatorName(signature)}.\n`);
  return 0;
}

async function ask(database: Database, [reference, by, ...words]: string[]): Promise<number> {
  const signature = readSignature(by, words);
  if (!reference || !signature) throw new UserError(USAGE);
  if (!(await retryGift(database, reference, signature)))
    throw new UserError(`No gift ${reference} waits for an operator.`);
  process.stdout.write(`${reference} is asked about again. A running server does so at once.\n`);
  return 0;
}
