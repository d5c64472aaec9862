import { setTimeout as wait } from 'node:timers/promises';
import type { System } from './system.ts';

/** The server checks the version of operator data once a second. */
const NOTICED_AFTER_MS = 1_050;

/** Waits until the server has reloaded the operator's tables. */
export const waitForSettingsReload = (): Promise<void> => wait(NOTICED_AFTER_MS);

/** Sets single settings, and waits until the server uses them. */
export async function setSettings(system: System, values: Readonly<Record<string, unknown>>): Promise<void> {
  const pendingChanges = Object.entries(values).map(([name, value]) =>
    changeRow(system, CHANGE_SETTING_SQL, name, JSON.stringify(value)),
  );
  if ((await Promise.all(pendingChanges)).includes(true)) await waitForSettingsReload();
}

/** Sets rate limits, and waits until the server uses them. */
export async function setRateLimits(system: System, hits: Readonly<Record<string, number>>): Promise<void> {
  const pendingChanges = Object.entries(hits).map(([name, maxHits]) =>
    changeRow(system, CHANGE_LIMIT_SQL, name, maxHits),
  );
  if ((await Promise.all(pendingChanges)).includes(true)) await waitForSettingsReload();
}

const CHANGE_SETTING_SQL = `update operator_data_setting now set value = $2 from operator_data_setting before
  where now.name = $1 and before.name = $1 returning before.value is distinct from now.value as "isNew"`;
const CHANGE_LIMIT_SQL = `update operator_data_limit now set hits = $2 from operator_data_limit before
  where now.name = $1 and before.name = $1 returning before.hits is distinct from now.hits as "isNew"`;

/** @returns whether the value was different: an unchanged value needs no wait */
async function changeRow({ database }: System, sql: string, name: string, value: unknown): Promise<boolean> {
  const { rows } = await database.query<{ isNew: boolean }>(sql, [name, value]);
  if (!rows[0]) throw new Error(`an operator cannot set ${name}`);
  return rows[0].isNew;
}

/** Closes a member's wallet. */
export async function closeWallet({ database }: Pick<System, 'database'>, { id }: { id: string }): Promise<void> {
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'under review')`, [id]);
}

/** Injects a fault into the next calls to the simulators. */
export async function injectFault(
  system: System,
  fault: { target: string; fault: string; times?: number; delayMs?: number; call?: string },
): Promise<void> {
  const { status, body } = await system.simulatorsApi('POST /control/faults', { body: { times: 1, ...fault } });
  if (status !== 201) throw new Error(`no such fault: ${JSON.stringify(body)}`);
}

/** Accepts slips at any hour: a test may run during the daily closing time. */
export const openSlipDeposits = (system: System): Promise<void> =>
  setSettings(system, { slip: { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 } });
