// `npm run transfers`: unfinished transfers to and from games, oldest first, with what is known of each. `npm run
// transfers -- settle REFERENCE applied|refused NAME WHY…`: records what an operator has found out about one that waits
// for it. `-- manual REFERENCE NAME WHY…`: takes one whose outcome is unknown over from the resolver. `-- ask REFERENCE
// NAME WHY…`: asks the provider once more about one that is MANUAL. A running server applies it within a second, and
// the member is notified.
import { toDecimal } from '@krapao/contract/money';
import { describeMembers, type WhoIs } from '../modules/account/module.ts';
import {
  type Hindrance,
  type OpenLeg,
  openLegs,
  operateTransfer,
  type Operated,
  type OperatorStep,
  transferQueue,
} from '../modules/transfer/module.ts';
import { failingLine, selectFailing } from '../platform/jobs/failed-work.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/start/operator-log.ts';
import { runCommand } from '../platform/start/run-command.ts';

const USAGE =
  'Write `npm run transfers` to see what is open, `npm run transfers -- settle REFERENCE applied|refused NAME WHY` for one that is MANUAL, `npm run transfers -- manual REFERENCE NAME WHY` for one that is UNKNOWN, or `npm run transfers -- ask REFERENCE NAME WHY` to ask the provider again.';
const PROOFS = { applied: 'APPLIED', refused: 'REFUSED' } as const;
const MINUTE_MS = 60_000;

const WHY_NOT: Record<Hindrance, string> = {
  UNKNOWN_REFERENCE: 'There is no such transfer: see `npm run transfers`.',
  NOT_THIS_STATE: 'Its state does not allow that',
  DECIDED: 'It is settled already',
  ASKED_AGAIN: 'The provider is being asked about it again already.',
  UNDER_WAY: 'A server is processing it: try again in half a minute.',
  TOO_YOUNG: 'Its call was sent less than five minutes ago and may still take effect: wait.',
};

await runCommand((database) => run(database, process.argv.slice(2)));

async function run(database: Database, [word, reference, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  const proof = rest[0] === 'applied' || rest[0] === 'refused' ? PROOFS[rest[0]] : undefined;
  if (word === 'settle' && proof) return operate(database, reference, { step: 'settle', proof }, rest.slice(1));
  if (word === 'manual' || word === 'ask') return operate(database, reference, { step: word }, rest);
  throw new CannotStart(USAGE);
}

async function list(database: Database): Promise<number> {
  const open = await openLegs(database);
  const whoIs = await describeMembers(
    database,
    open.map(({ memberId }) => memberId),
  );
  for (const leg of open) process.stdout.write(`${lineOf(leg, whoIs)}\n`);
  const manual = open.filter(({ state, proof }) => state === 'MANUAL' && proof === null).length;
  for (const item of await selectFailing(database, [transferQueue])) process.stdout.write(failingLine(item));
  process.stdout.write(`${open.length} open, ${manual} wait for an operator\n`);
  return 0;
}

function lineOf(leg: OpenLeg, whoIs: WhoIs): string {
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
  step: OperatorStep,
  [by, ...words]: string[],
): Promise<number> {
  const signature = readSignature(by, words);
  if (!reference || !signature) throw new CannotStart(USAGE);
  const operated = await operateTransfer(database, reference, step, signature);
  if (operated.outcome === 'refused') throw new CannotStart(`${reference}: ${refusalOf(operated)}`);
  const done = { settle: 'is settled', manual: 'is MANUAL now', ask: 'is asked about again' }[step.step];
  const how = step.step === 'settle' ? `: ${step.proof}` : '';
  process.stdout.write(
    `${operated.reference} ${done}${how}, by ${operatorName(signature)}. A running server applies it at once.\n`,
  );
  return 0;
}

function refusalOf({ why, state, by }: Extract<Operated, { outcome: 'refused' }>): string {
  if (why === 'NOT_THIS_STATE') return `${WHY_NOT[why]}, it is ${state ?? 'gone'}.`;
  if (why === 'DECIDED') return `${WHY_NOT[why]}, by ${by ?? 'an unknown operator'}.`;
  return WHY_NOT[why];
}
