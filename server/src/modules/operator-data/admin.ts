import type { Database, Queryable } from '../../platform/database/database.ts';
import { UserError } from '../../platform/errors.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { saveSwitch, selectSwitches, selectSwitchSubjects, type SwitchRow } from './switch-queries.ts';
import { switchNames } from './switch.ts';

/** A switch and what it stops; without a row it was never stopped. */
export type ListedSwitch = { name: string; stops: string; row: SwitchRow | undefined };

/** All switches, one for each game, provider, gateway and bank. */
export async function listSwitches(on: Queryable): Promise<ListedSwitch[]> {
  const rows = new Map((await selectSwitches(on)).map((row) => [row.name, row]));
  const listed = switchNames(await selectSwitchSubjects(on));
  return listed.map(({ name, stops }) => ({ name, stops, row: rows.get(name) }));
}

/**
 * Stops or starts something, and logs the operator and the reason. Servers use it within a second.
 * @throws {UserError} no such switch, or it has this state already
 */
export function setSwitch(
  database: Database,
  { name, isStopped, ...signature }: { name: string; isStopped: boolean } & Signature,
): Promise<void> {
  return database.tx(async (tx) => {
    const known = (await listSwitches(tx)).find((listed) => listed.name === name);
    if (!known) throw new UserError(`There is no switch ${name}: see \`krapao switches\`.`);
    if (!(await saveSwitch(tx, { name, isStopped, ...signature }))) {
      throw new UserError(`${name} is ${isStopped ? 'stopped already' : 'not stopped'}: see \`krapao switches\`.`);
    }
    await logOperator(tx, signature, { what: `switches ${isStopped ? 'stop' : 'start'}`, subject: name });
  });
}
