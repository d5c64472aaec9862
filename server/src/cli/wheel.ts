import { toDecimal } from '@krapao/contract/money';
import { configInventory } from '../inventory.ts';
import { memberLabels } from '../modules/account/index.ts';
import { findSubject, recordChange } from '../modules/config/index.ts';
import {
  activeWheel,
  validateWheel,
  markGoodsHandedOver,
  publishWheel,
  retireWheel,
  type Slice,
  openGoodsCoupons,
  wheelFile,
} from '../modules/spinwheel/index.ts';
import type { ConfigSubject } from '../platform/documents/subject.ts';
import { UserError } from '../platform/errors.ts';
import { operatorName, type Signature } from '../platform/operator-log.ts';
import { timeOf } from '../platform/time.ts';
import { refuseMore, requireArgument, requireSignature, unknownAction } from './arguments.ts';
import { readJsonArgument } from './document-file.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE =
  'Write `krapao wheel` to see it, `krapao wheel file VERSION` to print it as a file, `krapao wheel publish FILE NAME WHY` to replace it, `krapao wheel retire VERSION NAME WHY`, `krapao wheel goods`, or `krapao wheel hand COUPON NAME WHY`.';
const SUBJECT_NAMES: Readonly<Record<string, string>> = {
  file: 'VERSION',
  publish: 'FILE',
  retire: 'VERSION',
  hand: 'COUPON',
};
const WHEEL_VERSION = /^[1-9]\d{0,8}$/;

export const wheel = withDatabase(async ([action, subjectArg, by, ...reason], context) => {
  if (action === undefined) return show(context);
  if (action === 'goods' && subjectArg === undefined) return goods(context);
  const name = Object.hasOwn(SUBJECT_NAMES, action) ? SUBJECT_NAMES[action] : undefined;
  if (name === undefined) throw unknownAction(action, USAGE);
  const subject = requireArgument(subjectArg, name, USAGE);
  if (action === 'file') {
    refuseMore(
      [by, ...reason].filter((word) => word !== undefined),
      USAGE,
    );
    return file(context, subject);
  }
  const signature = requireSignature(by, reason, USAGE);
  if (action === 'publish') return publish(context, subject, signature);
  if (action === 'retire') return retire(context, subject, signature);
  return hand(context, subject, signature);
});

async function show({ database, print }: DatabaseContext): Promise<number> {
  const currentWheel = await activeWheel(database);
  if (!currentWheel) throw new UserError('There is no wheel: publish one.');
  const total = currentWheel.slices.reduce((sumOfWeights, { weight }) => sumOfWeights + weight, 0);
  for (const slice of currentWheel.slices) print(`${rowOf(slice, total)}\n`);
  print(`version ${currentWheel.version}, ${currentWheel.name.en}, weights ${currentWheel.weightsHash}\n`);
  return 0;
}

function rowOf({ code, weight, label, prize }: Slice, total: number): string {
  const oddsText = `${toDecimal((BigInt(weight) * 10_000n) / BigInt(total))} %`;
  return [code.padEnd(16), String(weight).padStart(8), oddsText.padStart(9), describePrize(prize), label.en].join('  ');
}

function describePrize(prize: Slice['prize']): string {
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

async function file({ database, print }: DatabaseContext, version: string): Promise<number> {
  const fileText = WHEEL_VERSION.test(version) ? await wheelFile(database, Number(version)) : undefined;
  if (!fileText) throw new UserError(`There is no version ${version}.`);
  print(`${JSON.stringify(fileText, undefined, 2)}\n`);
  return 0;
}

function wheelSubject(): ConfigSubject {
  const subject = findSubject(configInventory, 'wheel');
  if (!subject) throw new Error('the wheel is no subject');
  return subject;
}

async function publish(
  { database, environment, print }: DatabaseContext,
  path: string,
  signature: Signature,
): Promise<number> {
  const fileText = await readJsonArgument(environment, path);
  const validationErrors = await validateWheel(database, fileText);
  if (validationErrors.length > 0)
    throw new UserError(`Nothing is published. ${path} is wrong:\n${validationErrors.join('\n')}`);
  const version = await recordChange(database, wheelSubject(), signature, (tx) =>
    publishWheel(tx, fileText, signature),
  );
  print(`Version ${version} is current from now on, by ${operatorName(signature)}.\n`);
  return 0;
}

async function retire({ database, print }: DatabaseContext, version: string, signature: Signature): Promise<number> {
  const isRetired =
    WHEEL_VERSION.test(version) &&
    (await recordChange(database, wheelSubject(), signature, (tx) => retireWheel(tx, Number(version), signature)));
  if (!isRetired) {
    throw new UserError(`There is no version ${version}, or it is retired already.`);
  }
  const remainingWheel = await activeWheel(database);
  const now = remainingWheel ? `Version ${remainingWheel.version} is current now` : 'There is no wheel left';
  print(`Version ${version} is retired, by ${operatorName(signature)}. ${now}.\n`);
  return 0;
}

async function goods({ database, print }: DatabaseContext): Promise<number> {
  const coupons = await openGoodsCoupons(database);
  const labelOf = await memberLabels(
    database,
    coupons.map(({ memberId }) => memberId),
  );
  for (const { id, memberId, sliceCode, createdAt } of coupons) {
    print(`${id}  ${timeOf(createdAt)}  ${sliceCode.padEnd(16)}  member ${labelOf(memberId)}\n`);
  }
  print(`${coupons.length} coupons for goods wait\n`);
  return 0;
}

async function hand({ database, print }: DatabaseContext, coupon: string, signature: Signature): Promise<number> {
  if (!(await markGoodsHandedOver(database, coupon, signature))) {
    throw new UserError(`No coupon for goods waits by the id ${coupon}: see \`krapao wheel goods\`.`);
  }
  print(`${coupon} is handed over, by ${operatorName(signature)}.\n`);
  return 0;
}
