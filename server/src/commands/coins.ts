// `npm run coins -- MEMBER`: a member's coins, and their latest movements. MEMBER is an id, or a phone number. `npm run
// coins -- give MEMBER COINS NAME WHY…`: gives some. `-- take MEMBER COINS NAME WHY…`: takes some away, never below 0.
import { memberNamed, describeMembers } from '../modules/account/module.ts';
import { changeCoins, purseOf } from '../modules/spinwheel/module.ts';
import { timeOf } from '../platform/bangkok.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { uuidV7 } from '../platform/ids.ts';
import { operatorName, readSignature } from '../platform/start/operator-log.ts';
import { runCommand } from '../platform/start/run-command.ts';

const USAGE =
  'Write `npm run coins -- MEMBER` to see the coins of a member (an id or a phone number), `npm run coins -- give MEMBER COINS NAME WHY` to give some, or `npm run coins -- take MEMBER COINS NAME WHY`.';
const COINS = /^[1-9]\d{0,5}$/;

await runCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === 'give' || word === 'take') return change(database, word, rest);
  if (word === undefined || rest.length > 0) throw new CannotStart(USAGE);
  return show(database, await memberOf(database, word));
}

async function memberOf(database: Database, named: string): Promise<string> {
  const id = await memberNamed(database, named);
  if (id === undefined) throw new CannotStart(`NO_USER: there is no member ${named}.`);
  return id;
}

async function show(database: Database, memberId: string): Promise<number> {
  const { coins, movements } = await purseOf(database, memberId);
  for (const { at, source, coins: change, coinsAfter } of movements) {
    const signed = `${change > 0 ? '+' : ''}${change}`;
    process.stdout.write(`${timeOf(at)}  ${signed.padStart(6)}  ${String(coinsAfter).padStart(6)}  ${source}\n`);
  }
  const whoIs = await describeMembers(database, [memberId]);
  process.stdout.write(`member ${whoIs(memberId)} has ${counted(coins)}\n`);
  return 0;
}

async function change(
  database: Database,
  word: 'give' | 'take',
  [named, typed, by, ...why]: string[],
): Promise<number> {
  const signature = readSignature(by, why);
  if (!named || !typed || !COINS.test(typed) || !signature) throw new CannotStart(USAGE);
  const memberId = await memberOf(database, named);
  const coins = word === 'give' ? Number(typed) : -Number(typed);
  const after = await changeCoins(database, { id: uuidV7(systemClock.now()), memberId, coins }, signature);
  if (after === undefined) throw new CannotStart(`Member ${memberId} has fewer coins than that.`);
  const done = word === 'give' ? 'given to' : 'taken from';
  const whoIs = await describeMembers(database, [memberId]);
  process.stdout.write(
    `${counted(Number(typed))} ${done} member ${whoIs(memberId)}, who has ${after} now, by ${operatorName(signature)}.\n`,
  );
  return 0;
}

function counted(coins: number): string {
  return `${coins} ${coins === 1 ? 'coin' : 'coins'}`;
}
