import { setTimeout } from 'node:timers/promises';
import { runOperatorSql } from './operator.ts';

const HOUR_MS = 60 * 60_000;
const BANGKOK_AHEAD_MS = 7 * HOUR_MS;

/**
 * Moves the daily closing time of slips half a day away, as an operator would (docs/runbooks/operator-data.md), so that
 * a journey may send slips at any hour.
 */
export async function openSlipDeposits(url: string, dataFolder: string): Promise<void> {
  const closedFrom = bangkokTimeIn(11);
  await runOperatorSql(dataFolder, `update operator_data_setting set value = value || $1 where name = 'slip'`, [
    JSON.stringify({ closedFrom, closedTo: bangkokTimeIn(12) }),
  ]);
  // Noticed within a second.
  for (;;) {
    const hours = (await (await fetch(`${url}/api/lookup/slip`)).json()) as { closedFrom: string };
    if (hours.closedFrom === closedFrom) return;
    await setTimeout(100);
  }
}

const bangkokTimeIn = (hours: number): string =>
  new Date(Date.now() + BANGKOK_AHEAD_MS + hours * HOUR_MS).toISOString().slice(11, 16);
