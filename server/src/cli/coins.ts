import { memberNamed, memberLabels } from '../modules/account/index.ts';
import { changeCoins, readPurse } from '../modules/spinwheel/index.ts';
import { timeOf, systemClock } from '../platform/time.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { uuidV7 } from '../platform/ids.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';

const USAGE =
  'Write `npm run coins -- MEMBER` to see the coins of a member (an id or a phone number), `npm run coins -- give MEMBER COINS NAME WHY` to give some, or `npm run coins -- take MEMBER COINS NAME WHY`.';
const COINS = /^[1-9]\d{0,5}$/;

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, ...rest]: string[]): Promise<number> {
  if (word === 'give' || word === 'take') return change(database, word, rest);
  if (word === undefined || rest.length > 0) throw new UserError(USAGE);
  return show(database, await memberOf(database, word));
}

async function memberOf(database: Database, named: string): Promise<string> {
  const id = await memberNamed(database, named);
  if (id === undefined) throw new UserError(`NO_USER: there is no member ${named}.`);
  return id;
}

async function show(database: Database, memberId: string): Promise<number> {
  const { coins, movements } = await readPurse(database, memberId);
  for (const { at, source, coins: change, coinsAfter } of movements) {
    const signed = `${change > 0 ? '+' : ''}${change}`;
    process.stdout.write(`${timeOf(at)}  ${signed.padStart(6)}  ${String(coinsAfter).padStart(6)}  ${source}\n`);
  }
  const whoIs = await memberLabels(database, [memberId]);
  process.stdout.write(`member ${whoIs(memberId)} has ${counted(coins)}\n`);
  return 0;
}

async function change(
  database: Database,
  word: 'give' | 'take',
  [named, typed, by, ...why]: string[],
): Promise<number> {
  const signature = readSignature(by, why);
  if (!named || !typed || !COINS.test(typed) || !signature) throw new UserError(USAGE);
  const memberId = await memberOf(database, named);
  const coins = word === 'give' ? Number(typed) : -Number(typed);
  const after = await changeCoins(database, { id: uuidV7(systemClock.now()), memberId, coins }, signature);
  if (after === undefined) throw new UserError(`Member ${memberId} has fewer coins than that.`);
  const done = word === 'give' ? 'given to' : 'taken from';
  const whoIs = await memberLabels(database, [memberId]);
  process.stdout.write(
    `${counted(Number(typed))} ${done} member ${whoIs(memberId)}, who has ${after} now, by ${operatorName(signature)}.\n`,
  );
  return 0;
}

function counted(coins: number): string {
  return `${coins} ${coins === 1 ? 'coin' : 'coins'}`;
}
