import { toDecimal } from '@krapao/contract/money';
import { configInventory } from '../inventory.ts';
import { findMemberByText, memberName } from '../modules/account/index.ts';
import { allOffers, type ListedOffer, switchOffer } from '../modules/bonus/index.ts';
import { findSubject, recordChange } from '../modules/config/index.ts';
import { incentiveQueue } from '../modules/incentive/index.ts';
import { changeCoins, readPurse } from '../modules/spinwheel/index.ts';
import type { Database } from '../platform/database/database.ts';
import { UserError } from '../platform/errors.ts';
import { uuidV7 } from '../platform/ids.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { operatorName } from '../platform/operator-log.ts';
import { systemClock, timeOf } from '../platform/time.ts';
import { refuseMore, requireArgument, requireSignature, unknownAction, wrongArgument } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const OFFERS_USAGE =
  'Write `krapao offers` to see them, or `krapao offers on CODE NAME WHY` and `krapao offers off CODE NAME WHY` to switch one.';
export const COINS_USAGE =
  'Write `krapao coins MEMBER` to see the coins of a member (a phone, an id or a code), `krapao coins give MEMBER COINS NAME WHY` to give some, or `krapao coins take MEMBER COINS NAME WHY`.';
const COIN_COUNT = /^[1-9]\d{0,5}$/;

export const offers = withDatabase(async ([action, ...rest], context) => {
  if (action === undefined) return listOffers(context);
  if (action !== 'on' && action !== 'off') throw unknownAction(action, OFFERS_USAGE);
  return turnOffer(context, action, rest);
});

async function listOffers({ database, print }: DatabaseContext): Promise<number> {
  const listedOffers = await allOffers(database);
  const now = systemClock.now();
  for (const offer of listedOffers) print(`${offerRow(offer, now)}\n`);
  for (const item of await selectFailing(database, [incentiveQueue])) print(failingItem(item));
  print(`${new Set(listedOffers.map(({ code }) => code)).size} offers\n`);
  return 0;
}

function offerRow(offer: ListedOffer, now: Date): string {
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

async function turnOffer(
  { database, print }: DatabaseContext,
  action: 'on' | 'off',
  [codeArg, by, ...reason]: string[],
): Promise<number> {
  const code = requireArgument(codeArg, 'CODE', OFFERS_USAGE);
  const signature = requireSignature(by, reason, OFFERS_USAGE);
  const offer = findSubject(configInventory, `offer:${code}`);
  const change = { code, isOn: action === 'on', ...signature };
  if (!offer || !(await recordChange(database, offer, signature, (tx) => switchOffer(tx, change)))) {
    throw new UserError(`There is no offer ${code}, or it is ${action} already: see \`krapao offers\`.`);
  }
  print(`${code} is ${action}, by ${operatorName(signature)}.\n`);
  return 0;
}

export const coins = withDatabase(async ([action, ...rest], context) => {
  if (action === 'give' || action === 'take') return changePurse(context, action, rest);
  const member = requireArgument(action, 'MEMBER', COINS_USAGE);
  if (member.startsWith('-')) throw unknownAction(member, COINS_USAGE);
  refuseMore(rest, COINS_USAGE);
  return showPurse(context, await findMember(context.database, member));
});

async function findMember(database: Database, idOrPhone: string): Promise<string> {
  const id = await findMemberByText(database, idOrPhone);
  if (id === undefined) throw new UserError(`NO_USER: there is no member ${idOrPhone}.`);
  return id;
}

async function showPurse({ database, print }: DatabaseContext, memberId: string): Promise<number> {
  const { coins: total, movements } = await readPurse(database, memberId);
  for (const { at, source, coins: change, coinsAfter } of movements) {
    const signedChange = `${change > 0 ? '+' : ''}${change}`;
    print(`${timeOf(at)}  ${signedChange.padStart(6)}  ${String(coinsAfter).padStart(6)}  ${source}\n`);
  }
  print(`member ${memberId} (${await memberName(database, memberId)}) has ${coinText(total)}\n`);
  return 0;
}

async function changePurse(
  { database, print }: DatabaseContext,
  action: 'give' | 'take',
  [memberArg, countArg, by, ...reason]: string[],
): Promise<number> {
  const idOrPhone = requireArgument(memberArg, 'MEMBER', COINS_USAGE);
  const count = requireArgument(countArg, 'COINS', COINS_USAGE);
  if (!COIN_COUNT.test(count)) {
    throw wrongArgument('COINS', 'a whole number from 1 to 999999', count, COINS_USAGE);
  }
  const signature = requireSignature(by, reason, COINS_USAGE);
  const memberId = await findMember(database, idOrPhone);
  const change = action === 'give' ? Number(count) : -Number(count);
  const coinsAfter = await changeCoins(database, { id: uuidV7(systemClock.now()), memberId, coins: change }, signature);
  if (coinsAfter === undefined) throw new UserError(`Member ${memberId} has fewer coins than that.`);
  const confirmation = action === 'give' ? 'given to' : 'taken from';
  print(
    `${coinText(Number(count))} ${confirmation} member ${memberId} (${await memberName(database, memberId)}), who has ${coinsAfter} now, by ${operatorName(signature)}.\n`,
  );
  return 0;
}

function coinText(count: number): string {
  return `${count} ${count === 1 ? 'coin' : 'coins'}`;
}
