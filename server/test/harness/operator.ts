import { setTimeout as wait } from 'node:timers/promises';
import type { System } from './system.ts';

/** The server looks at what the operator has set once a second. */
const NOTICED_AFTER_MS = 1_050;

/** Lets the server notice what was changed in the operator's tables. */
export const noticed = (): Promise<void> => wait(NOTICED_AFTER_MS);

/** Sets single values of the site, as an operator would, and waits until they hold. */
export async function setSettings(system: System, values: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await system.database.query('update site_setting set value = $2 where name = $1', [name, JSON.stringify(value)]);
  }
  await noticed();
}

/** Sets how often something may be done in its window, and waits until it holds. */
export async function setLimits(system: System, hits: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, most] of Object.entries(hits)) {
    const { rowCount } = await system.database.query('update operation_limit set hits = $2 where name = $1', [
      name,
      most,
    ]);
    if (rowCount !== 1) throw new Error(`there is no limit ${name}`);
  }
  await noticed();
}

/** Makes the next calls to the outside misbehave. */
export async function misbehave(
  system: System,
  fault: { target: string; fault: string; times?: number; delayMs?: number; call?: string },
): Promise<void> {
  const { status, body } = await system.world('POST /control/faults', { body: { times: 1, ...fault } });
  if (status !== 201) throw new Error(`no such fault: ${JSON.stringify(body)}`);
}
