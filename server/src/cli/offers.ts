import { toDecimal } from '@krapao/contract/money';
import { allOffers, type ListedOffer, switchOffer } from '../modules/bonus/index.ts';
import { timeOf, systemClock } from '../platform/time.ts';
import { incentiveQueue } from '../modules/incentive/index.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';

const USAGE =
  'Write `npm run offers` to see them, or `npm run offers -- on CODE NAME WHY` and `npm run offers -- off CODE NAME WHY` to switch one.';

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word !== 'on' && word !== 'off') throw new UserError(USAGE);
  return turn(database, word === 'on', rest);
}

async function list(database: Database): Promise<number> {
  const offers = await allOffers(database);
  const now = systemClock.now();
  for (const offer of offers) process.stdout.write(`${lineOf(offer, now)}\n`);
  for (const item of await selectFailing(database, [incentiveQueue])) process.stdout.write(failingItem(item));
  process.stdout.write(`${new Set(offers.map(({ code }) => code)).size} offers\n`);
  return 0;
}

function lineOf(offer: ListedOffer, now: Date): string {
  const { code, kind, currency, receipts, members, amount, leftCount, leftBudget } = offer;
  return [
    code.padEnd(16),
    kind.padEnd(9),
    stateOf(offer, now).padEnd(28),
    `${toDecimal(amount)} ${currency}`.padStart(20),
    `given ${receipts} times to ${members} members`,
    ...(leftCount === null ? [] : [`${leftCount} left`]),
    ...(leftBudget === null ? [] : [`${toDecimal(leftBudget)} ${currency} left`]),
  ].join('  ');
}

function stateOf({ isOn, startsAt, endsAt }: ListedOffer, now: Date): string {
  if (!isOn) return 'off';
  if (startsAt !== null && startsAt > now) return `from ${timeOf(startsAt)}`;
  if (endsAt === null) return 'on';
  return `${endsAt > now ? 'until' : 'over since'} ${timeOf(endsAt)}`;
}

async function turn(database: Database, isOn: boolean, [code, by, ...why]: string[]): Promise<number> {
  const signature = readSignature(by, why);
  if (!code || !signature) throw new UserError(USAGE);
  const word = isOn ? 'on' : 'off';
  if (!(await switchOffer(database, { code, isOn, ...signature }))) {
    throw new UserError(`There is no offer ${code}, or it is ${word} already: see \`npm run offers\`.`);
  }
  process.stdout.write(`${code} is ${word}, by ${operatorName(signature)}.\n`);
  return 0;
}
