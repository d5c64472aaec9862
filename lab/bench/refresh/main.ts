// `npm run lab -- bench refresh`: wallet latency while 500 members refresh; two minutes. Rounds with and without
// refreshes alternate, so that other load affects both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@krapao/server/src/platform/database/database.ts';
import { launchEmbeddedPostgres } from '@krapao/server/src/platform/database/embedded-postgres/launch.ts';
import { median } from '../load.ts';
import { cpuOf } from '../postgres-usage.ts';
import { type Latencies, QUIET_MEMBERS, REFRESHING_MEMBERS } from './calls.ts';
import { insertMembers, HANGING, startProviders, startServer } from './environment.ts';
import { measureCalm, measureDuringRefresh, startRefreshProcess } from './wallet-calls.ts';

const ROUNDS = process.argv.includes('--quick') ? 1 : 3;
const CALM_PHASE_MS = 10_000;
const REFRESH_PHASE_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'krapao-refresh-'));
const postgres = await launchEmbeddedPostgres({ directory: join(folder, 'postgres'), maxConnections: 100 });
const providers = await startProviders(HANGING);
const refreshProcess = startRefreshProcess();
const server = await startServer(folder, postgres.url, providers.port);
try {
  const database = openDatabase({ url: postgres.url, size: 2 });
  await insertMembers(database, QUIET_MEMBERS + REFRESHING_MEMBERS);
  await database.close();
  await measureCalm(server.address, CALM_PHASE_MS / 2);
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const calmLatencies = await measureCalm(server.address, CALM_PHASE_MS);
    const cpuBefore = { server: cpuOf(server.process.pid ?? 0), postgres: cpuOf(postgres.pid) };
    const loadedLatencies = await measureDuringRefresh(refreshProcess, server.address, REFRESH_PHASE_MS);
    const cpuUsedMs = (processName: 'server' | 'postgres', pid: number): string =>
      `${((cpuOf(pid) - cpuBefore[processName]) / 1_000 / loadedLatencies.refresh.calls).toFixed(1)} ms`;
    ratios.push(loadedLatencies.wallet.p99Ms / calmLatencies.p99Ms);
    printLatencies(`round ${round}, wallet calm`, calmLatencies);
    printLatencies(`round ${round}, wallet in the storm`, loadedLatencies.wallet);
    printLatencies(`round ${round}, refreshes`, loadedLatencies.refresh);
    process.stdout.write(
      `round ${round}, CPU for each refresh, wallet calls included: server ${cpuUsedMs('server', server.process.pid ?? 0)}, PostgreSQL ${cpuUsedMs('postgres', postgres.pid)}\n`,
    );
  }
  const ratioList = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  process.stdout.write(
    `p99 of wallet calls in the storm / calm: ${ratioList}; median ${median(ratios).toFixed(2)} (aim: at most 2 in each round)\n`,
  );
} finally {
  server.process.kill();
  providers.process.kill();
  refreshProcess.kill();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function printLatencies(label: string, { calls, p50Ms, p99Ms, longestMs, failed }: Latencies): void {
  const ms = (value: number): string => `${value.toFixed(1)} ms`.padStart(11);
  process.stdout.write(
    `${label.padEnd(30)}${String(calls).padStart(6)} calls  p50${ms(p50Ms)}  p99${ms(p99Ms)}  longest${ms(longestMs)}  failed ${failed}\n`,
  );
}
