import { setTimeout } from 'node:timers/promises';
import { asOperator } from './operator.ts';

const HOUR_MS = 60 * 60_000;
const BANGKOK_AHEAD_MS = 7 * HOUR_MS;

/**
 * Closes the slip desk half a day from now instead of at midnight, as an operator does it (docs/runbooks/operator-data.md): a
 * journey that sends a slip may run at any hour.
 */
export async function takeSlipsNow(url: string, dataFolder: string): Promise<void> {
  const closedFrom = bangkokIn(11);
  await asOperator(dataFolder, `update lookup_setting set value = value || $1 where name = 'slip'`, [
    JSON.stringify({ closedFrom, closedTo: bangkokIn(12) }),
  ]);
  // Noticed within a second.
  for (;;) {
    const hours = (await (await fetch(`${url}/api/lookup/slip`)).json()) as { closedFrom: string };
    if (hours.closedFrom === closedFrom) return;
    await setTimeout(100);
  }
}

const bangkokIn = (hours: number): string =>
  new Date(Date.now() + BANGKOK_AHEAD_MS + hours * HOUR_MS).toISOString().slice(11, 16);
