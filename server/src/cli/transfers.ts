import { toDecimal } from '@krapao/contract/money';
import { memberLabels, type MemberLabel } from '../modules/account/index.ts';
import {
  type OperatorRefusal,
  type OpenLeg,
  openLegs,
  operateTransfer,
  type OperatorResult,
  type OperatorAction,
  transferQueue,
} from '../modules/transfer/index.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';

const USAGE =
  'Write `npm run transfers` to see what is open, `npm run transfers -- settle REFERENCE applied|refused NAME WHY` for one that is MANUAL, `npm run transfers -- manual REFERENCE NAME WHY` for one that is UNKNOWN, or `npm run transfers -- ask REFERENCE NAME WHY` to ask the provider again.';
const PROOFS = { applied: 'APPLIED', refused: 'REFUSED' } as const;
const MINUTE_MS = 60_000;

const WHY_NOT: Record<OperatorRefusal, string> = {
  UNKNOWN_REFERENCE: 'There is no such transfer: see `npm run transfers`.',
  NOT_THIS_STATE: 'Its state does not allow that',
  DECIDED: 'It is settled already',
  ASKED_AGAIN: 'The provider is being asked about it again already.',
  UNDER_WAY: 'A server is processing it: try again in half a minute.',
  TOO_YOUNG: 'Its call was sent less than five minutes ago and may still take effect: wait.',
};

await runCliCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, reference, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  const proof = rest[0] === 'applied' || rest[0] === 'refused' ? PROOFS[rest[0]] : undefined;
  if (word === 'settle' && proof) return operate(database, reference, { step: 'settle', proof }, rest.slice(1));
  if (word === 'manual' || word === 'ask') return operate(database, reference, { step: word }, rest);
  throw new UserError(USAGE);
}

async function list(database: Database): Promise<number> {
  const open = await openLegs(database);
  const whoIs = await memberLabels(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const leg of open) process.stdout.write(`${lineOf(leg, whoIs)}\n`);
  const manual = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [transferQueue])) process.stdout.write(failingItem(item));
  process.stdout.write(`${open.length} open, ${manual} wait for an operator\n`);
  return 0;
}

function lineOf(leg: OpenLeg, whoIs: MemberLabel): string {
  const { providerReference, state, memberId, gameCode, provider, username, direction, amount, currency, credits } =
    leg;
  return [
    providerReference.padEnd(16),
    state.padEnd(7),
    `${Math.floor(leg.ageMs / MINUTE_MS)} min`.padStart(9),
    `${toDecimal(amount)} ${currency}`.padStart(18),
    `${toDecimal(credits)} credits`.padStart(20),
    `${direction === 'in' ? 'to' : 'from'} ${gameCode} at ${provider}, player ${username}`,
    `member ${whoIs(memberId)}`,
    knownOf(leg),
  ].join('  ');
}

function knownOf({ asks, absences, note, proof, proofBy, isAskedAgain, ...leg }: OpenLeg): string {
  const told = [`asked ${asks}, not found ${absences}`];
  if (leg.balanceBefore !== null) told.push(`${toDecimal(leg.balanceBefore)} credits before`);
  if (leg.balanceSeen !== null) told.push(`${toDecimal(leg.balanceSeen)} when last seen`);
  if (leg.turnoverBefore !== null) told.push(`turnover ${toDecimal(leg.turnoverBefore)} before`);
  if (leg.turnoverSeen !== null) told.push(`${toDecimal(leg.turnoverSeen)} when last seen`);
  if (proof !== null) told.push(`proven ${proof} by ${proofBy ?? 'an unknown operator'}`);
  if (isAskedAgain) told.push('to be asked again');
  return `${told.join(', ')}: ${note ?? 'no answer yet'}`;
}

async function operate(
  database: Database,
  reference: string | undefined,
  step: OperatorAction,
  [by, ...words]: string[],
): Promise<number> {
  const signature = readSignature(by, words);
  if (!reference || !signature) throw new UserError(USAGE);
  const operated = await operateTransfer(database, reference, step, signature);
  if (operated.outcome === 'refused') throw new UserError(`${reference}: ${refusalOf(operated)}`);
  const done = { settle: 'is settled', manual: 'is MANUAL now', ask: 'is asked about again' }[step.step];
  const how = step.step === 'settle' ? `: ${step.proof}` : '';
  process.stdout.write(
    `${operated.reference} ${done}${how}, by ${operatorName(signature)}. A running server applies it at once.\n`,
  );
  return 0;
}

function refusalOf({ why, state, by }: Extract<OperatorResult, { outcome: 'refused' }>): string {
  if (why === 'NOT_THIS_STATE') return `${WHY_NOT[why]}, it is ${state ?? 'gone'}.`;
  if (why === 'DECIDED') return `${WHY_NOT[why]}, by ${by ?? 'an unknown operator'}.`;
  return WHY_NOT[why];
}
