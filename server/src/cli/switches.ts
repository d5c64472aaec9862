import { type ListedSwitch, listSwitches, setSwitch } from '../modules/operator-data/index.ts';
import { runsOlderProgram } from '../platform/database/migrate.ts';
import { operatorName } from '../platform/operator-log.ts';
import { timeOf } from '../platform/time.ts';
import { requireArgument, requireSignature, unknownAction } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE =
  'Write `krapao switches` to see what can be stopped, `krapao switches stop SWITCH NAME WHY` or `krapao switches start SWITCH NAME WHY`.';
/** The newest migration of the first program that reads switches. */
const FIRST_PROGRAM = 335;
const NAME_WIDTH = 28;

export const switches = withDatabase(async ([action = 'list', ...rest], context) => {
  if (action === 'list' && rest.length === 0) return list(context);
  if (action !== 'stop' && action !== 'start') throw unknownAction(action, USAGE);
  return changeSwitch(context, action, rest);
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const listed = await listSwitches(database);
  for (const listedSwitch of listed) print(`${formatRow(listedSwitch)}\n`);
  print(`${listed.filter(({ row }) => row?.isStopped).length} of ${listed.length} stopped\n`);
  return 0;
}

function formatRow({ name, stops, row }: ListedSwitch): string {
  const state = row?.isStopped ? `STOPPED ${timeOf(row.at)} by ${operatorName(row)}: ${row.reason}` : 'not stopped';
  return `${name.padEnd(NAME_WIDTH)}  ${stops}: ${state}`;
}

async function changeSwitch(
  { database, print }: DatabaseContext,
  action: 'stop' | 'start',
  [nameArg, by, ...reason]: string[],
): Promise<number> {
  const name = requireArgument(nameArg, 'SWITCH', USAGE);
  const signature = requireSignature(by, reason, USAGE);
  await setSwitch(database, { name, isStopped: action === 'stop', ...signature });
  print(`${name} is ${action === 'stop' ? 'stopped' : 'no longer stopped'}, by ${operatorName(signature)}.\n`);
  if (await runsOlderProgram(database, FIRST_PROGRAM)) {
    print('A server with an older version runs and ignores switches: upgrade or stop it.\n');
  }
  return 0;
}
