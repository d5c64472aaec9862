// `npm run lab -- cluster`: three API nodes, three PostgreSQL servers under Patroni with etcd, and HAProxy, from the files of `deploy`,
// on one machine until Ctrl-C or `--stop-after SECONDS`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT, UserError } from '../../tools/install.mjs';
import { ensureWebBuilt } from '../../tools/web-build.mjs';
import { describeCluster, startCluster } from './cluster.mjs';
import { chooseNetwork } from './network.mjs';
import { ensurePackages } from './packages.mjs';
import { runUntilStopped } from './run-until-stopped.mjs';

await runUntilStopped(async ({ onStop, stopped }) => {
  const { values } = parseArgs({ options: { 'stop-after': { type: 'string' } } });
  const seconds = values['stop-after'] === undefined ? undefined : Number(values['stop-after']);
  if (Number.isNaN(seconds)) throw new UserError('--stop-after must be a number of seconds.');
  ensureInstalled();
  ensurePackages();
  const network = chooseNetwork(console.log);
  ensureWebBuilt();
  const folder = network.folderOf(join(process.env.DATA_DIR || join(ROOT, 'data'), 'cluster'));
  const cluster = await startCluster({ network, folder, say: console.log, onStarted: onStop });
  console.log(describeCluster(cluster));
  if (seconds !== undefined) setTimeout(() => process.kill(process.pid, 'SIGTERM'), seconds * 1_000);
  await stopped;
});
