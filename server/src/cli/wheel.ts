import { readFileSync } from 'node:fs';
import { toDecimal } from '@krapao/contract/money';
import { memberLabels } from '../modules/account/index.ts';
import {
  activeWheel,
  validateWheel,
  markGoodsHandedOver,
  publishWheel,
  retireWheel,
  type Slice,
  waitingGoods,
  wheelFile,
} from '../modules/spinwheel/index.ts';
import { timeOf } from '../platform/time.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature, type Signature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';

const USAGE =
  'Write `npm run wheel` to see it, `npm run wheel -- file VERSION` to print it as a file, `npm run wheel -- publish FILE NAME WHY` to replace it, `npm run wheel -- retire VERSION NAME WHY`, `npm run wheel -- goods`, or `npm run wheel -- hand COUPON NAME WHY`.';
const VERSION = /^[1-9]\d{0,8}$/;

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, subject, by, ...why]: string[]): Promise<number> {
  if (word === undefined) return show(database);
  if (word === 'goods' && subject === undefined) return goods(database);
  if (subject === undefined) throw new UserError(USAGE);
  if (word === 'file' && by === undefined) return file(database, subject);
  const signature = readSignature(by, why);
  if (!signature) throw new UserError(USAGE);
  if (word === 'publish') return publish(database, subject, signature);
  if (word === 'retire') return retire(database, subject, signature);
  if (word === 'hand') return hand(database, subject, signature);
  throw new UserError(USAGE);
}

async function show(database: Database): Promise<number> {
  const wheel = await activeWheel(database);
  if (!wheel) throw new UserError('There is no wheel: publish one.');
  const total = wheel.slices.reduce((sum, { weight }) => sum + weight, 0);
  for (const slice of wheel.slices) process.stdout.write(`${lineOf(slice, total)}\n`);
  process.stdout.write(`version ${wheel.version}, ${wheel.name.en}, weights ${wheel.weightsHash}\n`);
  return 0;
}

function lineOf({ code, weight, label, prize }: Slice, total: number): string {
  const odds = `${toDecimal((BigInt(weight) * 10_000n) / BigInt(total))} %`;
  return [code.padEnd(16), String(weight).padStart(8), odds.padStart(9), prizeOf(prize), label.en].join('  ');
}

function prizeOf(prize: Slice['prize']): string {
  switch (prize.kind) {
    case 'MONEY':
      return `MONEY ${toDecimal(prize.amount.BAHT)} BAHT or ${toDecimal(prize.amount.LAK)} LAK`;
    case 'COINS':
      return `COINS ${prize.coins}`;
    case 'BONUS':
      return `BONUS ${prize.bonus}`;
    case 'NONE':
    case 'GOODS':
      return prize.kind;
  }
}

async function file(database: Database, version: string): Promise<number> {
  const content = VERSION.test(version) ? await wheelFile(database, Number(version)) : undefined;
  if (!content) throw new UserError(`There is no version ${version}.`);
  process.stdout.write(`${JSON.stringify(content, undefined, 2)}\n`);
  return 0;
}

async function publish(database: Database, path: string, signature: Signature): Promise<number> {
  const content = read(path);
  const faults = await validateWheel(database, content);
  if (faults.length > 0) throw new UserError(`Nothing is published. ${path} is wrong:\n${faults.join('\n')}`);
  const version = await publishWheel(database, content, signature);
  process.stdout.write(`Version ${version} is current from now on, by ${operatorName(signature)}.\n`);
  return 0;
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new UserError(`${path} is missing, or is not JSON.`);
  }
}

async function retire(database: Database, version: string, signature: Signature): Promise<number> {
  if (!VERSION.test(version) || !(await retireWheel(database, Number(version), signature))) {
    throw new UserError(`There is no version ${version}, or it is retired already.`);
  }
  const left = await activeWheel(database);
  const now = left ? `Version ${left.version} is current now` : 'There is no wheel left';
  process.stdout.write(`Version ${version} is retired, by ${operatorName(signature)}. ${now}.\n`);
  return 0;
}

async function goods(database: Database): Promise<number> {
  const coupons = await waitingGoods(database);
  const whoIs = await memberLabels(
    database,
    coupons.map(({ memberId }) => memberId),
  );
  for (const { id, memberId, sliceCode, createdAt } of coupons) {
    process.stdout.write(`${id}  ${timeOf(createdAt)}  ${sliceCode.padEnd(16)}  member ${whoIs(memberId)}\n`);
  }
  process.stdout.write(`${coupons.length} coupons for goods wait\n`);
  return 0;
}

async function hand(database: Database, coupon: string, signature: Signature): Promise<number> {
  if (!(await markGoodsHandedOver(database, coupon, signature))) {
    throw new UserError(`No coupon for goods waits by the id ${coupon}: see \`npm run wheel -- goods\`.`);
  }
  process.stdout.write(`${coupon} is handed over, by ${operatorName(signature)}.\n`);
  return 0;
}
