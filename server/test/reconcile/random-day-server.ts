import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import type { System } from '../harness/system.ts';
import type { DayServer } from './random-day.ts';
import { AHEAD } from './random-day-clock.ts';

/**
 * Replaces the server inside the test by a process that can be killed, at the same address for callbacks. Its files
 * and its database survive it.
 */
export async function startDayServer(system: System): Promise<DayServer & { stop(): Promise<void>; kills(): number }> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-day-'));
  const { port } = new URL(system.url);
  const environment = { ...AHEAD, PORT: port, DATA_DIR: directory, VARIANT: 'lao', REQUESTS_PER_MINUTE: '100000000' };
  const start = (): Promise<ServerProcess> => startServerProcess(system, 'warn', undefined, environment);
  await system.app.close();
  let current = start();
  let kills = 0;
  await current;
  return {
    async kill() {
      const dying = await current;
      kills += 1;
      current = (async () => {
        await dying.kill();
        await letLeasesEnd(system);
        return start();
      })();
      await current;
    },
    isUp: async () => void (await current),
    kills: () => kills,
    async stop() {
      await (await current).kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Expires the leases of the killed server: no other server holds any. */
async function letLeasesEnd({ database }: Pick<System, 'database'>): Promise<void> {
  for (const now of [
    'update slip set work_at = now() where work_at is not null',
    'update truelink_gift set work_at = now() where work_at is not null',
    'update qrcode set inquire_at = now() where inquire_at is not null',
    'update deposit_feed set poll_at = now(), wakes = wakes + 1',
  ]) {
    await database.query(now);
  }
}
