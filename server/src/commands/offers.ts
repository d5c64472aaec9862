// `npm run offers`: every bonus and promotion in each currency, whether members can receive it, what was given by it
// and what is left of its campaign. `npm run offers -- on CODE NAME WHY…`, or `off`: switches one. It takes effect at
// once.
import { toDecimal } from '@krapao/contract/money';
import { allOffers, type OfferOnList, switchOffer } from '../modules/bonus/module.ts';
import { timeOf } from '../platform/bangkok.ts';
import { incentiveQueue } from '../modules/incentive/module.ts';
import { failingLine, selectFailing } from '../platform/jobs/failed-work.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/start/operator-log.ts';
import { runCommand } from '../platform/start/run-command.ts';

const USAGE =
  'Write `npm run offers` to see them, or `npm run offers -- on CODE NAME WHY` and `npm run offers -- off CODE NAME WHY` to switch one.';

await runCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word !== 'on' && word !== 'off') throw new CannotStart(USAGE);
  return turn(database, word === 'on', rest);
}

async function list(database: Database): Promise<number> {
  const offers = await allOffers(database);
  const now = systemClock.now();
  for (const offer of offers) process.stdout.write(`${lineOf(offer, now)}\n`);
  for (const item of await selectFailing(database, [incentiveQueue])) process.stdout.write(failingLine(item));
  process.stdout.write(`${new Set(offers.map(({ code }) => code)).size} offers\n`);
  return 0;
}

function lineOf(offer: OfferOnList, now: Date): string {
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

function stateOf({ isOn, startsAt, endsAt }: OfferOnList, now: Date): string {
  if (!isOn) return 'off';
  if (startsAt !== null && startsAt > now) return `from ${timeOf(startsAt)}`;
  if (endsAt === null) return 'on';
  return `${endsAt > now ? 'until' : 'over since'} ${timeOf(endsAt)}`;
}

async function turn(database: Database, isOn: boolean, [code, by, ...why]: string[]): Promise<number> {
  const signature = readSignature(by, why);
  if (!code || !signature) throw new CannotStart(USAGE);
  const word = isOn ? 'on' : 'off';
  if (!(await switchOffer(database, { code, isOn, ...signature }))) {
    throw new CannotStart(`There is no offer ${code}, or it is ${word} already: see \`npm run offers\`.`);
  }
  process.stdout.write(`${code} is ${word}, by ${operatorName(signature)}.\n`);
  return 0;
}
