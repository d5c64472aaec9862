// `npm run lab -- bench refresh`: wallet latency while 500 members refresh; two minutes. Rounds of calm and storm alternate, so that
// other load affects both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@krapao/server/src/platform/database/database.ts';
import { launchEmbeddedPostgres } from '@krapao/server/src/platform/database/embedded-postgres/launch.ts';
import { median } from '../load.ts';
import { cpuOf } from '../postgres-usage.ts';
import { type Latencies, QUIET, REFRESHING } from './calls.ts';
import { calm, startCrowd, storm } from './storm.ts';
import { insertMembers, HANGING, startProviders, startServer } from './environment.ts';

const ROUNDS = process.argv.includes('--quick') ? 1 : 3;
const CALM_MS = 10_000;
const STORM_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'krapao-refresh-'));
const postgres = await launchEmbeddedPostgres({ directory: join(folder, 'postgres'), maxConnections: 100 });
const providers = await startProviders(HANGING);
const crowd = startCrowd();
const server = await startServer(folder, postgres.url, providers.port);
try {
  const database = openDatabase({ url: postgres.url, size: 2 });
  await insertMembers(database, QUIET + REFRESHING);
  await database.close();
  await calm(server.address, CALM_MS / 2);
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = await calm(server.address, CALM_MS);
    const used = { server: cpuOf(server.process.pid ?? 0), postgres: cpuOf(postgres.pid) };
    const during = await storm(crowd, server.address, STORM_MS);
    const cpuMs = (of: 'server' | 'postgres', pid: number): string =>
      `${((cpuOf(pid) - used[of]) / 1_000 / during.refresh.calls).toFixed(1)} ms`;
    ratios.push(during.wallet.p99Ms / before.p99Ms);
    print(`round ${round}, wallet calm`, before);
    print(`round ${round}, wallet in the storm`, during.wallet);
    print(`round ${round}, refreshes`, during.refresh);
    process.stdout.write(
      `round ${round}, CPU for each refresh, wallet calls included: server ${cpuMs('server', server.process.pid ?? 0)}, PostgreSQL ${cpuMs('postgres', postgres.pid)}\n`,
    );
  }
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  process.stdout.write(
    `p99 of wallet calls in the storm / calm: ${each}; median ${median(ratios).toFixed(2)} (aim: at most 2 in each round)\n`,
  );
} finally {
  server.process.kill();
  providers.process.kill();
  crowd.kill();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function print(label: string, { calls, p50Ms, p99Ms, longestMs, failed }: Latencies): void {
  const ms = (value: number): string => `${value.toFixed(1)} ms`.padStart(11);
  process.stdout.write(
    `${label.padEnd(30)}${String(calls).padStart(6)} calls  p50${ms(p50Ms)}  p99${ms(p99Ms)}  longest${ms(longestMs)}  failed ${failed}\n`,
  );
}
