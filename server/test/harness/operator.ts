import { setTimeout as wait } from 'node:timers/promises';
import type { System } from './system.ts';

/** The server checks the version of operator data once a second. */
const NOTICED_AFTER_MS = 1_050;

/** Lets the server notice what was changed in the operator's tables. */
export const noticed = (): Promise<void> => wait(NOTICED_AFTER_MS);

/** Sets single values of the site, as an operator would, and waits until they hold. */
export async function setSettings(system: System, values: Readonly<Record<string, unknown>>): Promise<void> {
  const changed = Object.entries(values).map(([name, value]) => change(system, SETTING, name, JSON.stringify(value)));
  if ((await Promise.all(changed)).includes(true)) await noticed();
}

/** Sets how often something may be done in its window, and waits until it holds. */
export async function setLimits(system: System, hits: Readonly<Record<string, number>>): Promise<void> {
  const changed = Object.entries(hits).map(([name, most]) => change(system, LIMIT, name, most));
  if ((await Promise.all(changed)).includes(true)) await noticed();
}

const SETTING = `update lookup_setting now set value = $2 from lookup_setting before
  where now.name = $1 and before.name = $1 returning before.value is distinct from now.value as "isNew"`;
const LIMIT = `update lookup_limit now set hits = $2 from lookup_limit before
  where now.name = $1 and before.name = $1 returning before.hits is distinct from now.hits as "isNew"`;

/** @returns whether it was something else before: what is as it was needs no waiting for */
async function change({ database }: System, sql: string, name: string, value: unknown): Promise<boolean> {
  const { rows } = await database.query<{ isNew: boolean }>(sql, [name, value]);
  if (!rows[0]) throw new Error(`an operator cannot set ${name}`);
  return rows[0].isNew;
}

/** Closes a member's wallet, as an operator would. */
export async function closeWallet({ database }: Pick<System, 'database'>, { id }: { id: string }): Promise<void> {
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'under review')`, [id]);
}

/** Makes the next calls to the outside misbehave. */
export async function misbehave(
  system: System,
  fault: { target: string; fault: string; times?: number; delayMs?: number; call?: string },
): Promise<void> {
  const { status, body } = await system.world('POST /control/faults', { body: { times: 1, ...fault } });
  if (status !== 201) throw new Error(`no such fault: ${JSON.stringify(body)}`);
}

/** Slips are taken at any hour: a test may run while the desk is closed. */
export const takeSlipsNow = (system: System): Promise<void> =>
  setSettings(system, { slip: { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 } });
