import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import type { System } from '../harness/system.ts';
import { CLOCK_AHEAD_ENVIRONMENT } from './random-day-clock.ts';
import type { DayServer } from './random-day.ts';

/**
 * Replaces the in-process server by a process that can be killed, with the same callback address. Files and database
 * are kept.
 */
export async function startDayServer(system: System): Promise<DayServer & { stop(): Promise<void>; kills(): number }> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-day-'));
  const { port } = new URL(system.url);
  const environment = {
    ...CLOCK_AHEAD_ENVIRONMENT,
    PORT: port,
    DATA_DIR: directory,
    VARIANT: 'lao',
    REQUESTS_PER_MINUTE: '100000000',
  };
  const start = (): Promise<ServerProcess> => startServerProcess(system, 'warn', undefined, environment);
  await system.app.close();
  let currentServer = start();
  let killCount = 0;
  await currentServer;
  return {
    async killServer() {
      const dyingServer = await currentServer;
      killCount += 1;
      currentServer = (async () => {
        await dyingServer.kill();
        await expireServerLeases(system);
        return start();
      })();
      await currentServer;
    },
    isUp: async () => void (await currentServer),
    kills: () => killCount,
    async stop() {
      await (await currentServer).kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Expires the leases of the killed server: no other server holds any. */
async function expireServerLeases({ database }: Pick<System, 'database'>): Promise<void> {
  for (const now of [
    'update slip set work_at = now() where work_at is not null',
    'update truelink_gift set work_at = now() where work_at is not null',
    'update qrcode set inquire_at = now() where inquire_at is not null',
    'update deposit_feed set poll_at = now(), wakes = wakes + 1',
  ]) {
    await database.query(now);
  }
}
