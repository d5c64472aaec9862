// `npm run lab -- cluster-shell [MACHINE] [-c COMMANDS]`: a shell for the drills of docs/deploy/cluster-operation.md, on the
// operator's machine or on a machine of the cluster. Starts the cluster unless another shell has; it ends with the shell
// that started it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT, UserError } from '../../../tools/install.mjs';
import { startCluster } from '../cluster.mjs';
import { requireDrillNetwork } from '../network.mjs';
import { ensurePackages } from '../packages.mjs';
import { runUntilStopped } from '../run-until-stopped.mjs';
import { DrillControl } from './control.mjs';
import { makeOperator, makeRelease } from './operator.mjs';

const { values, positionals } = parseArgs({ options: { c: { type: 'string', short: 'c' } }, allowPositionals: true });
const folder = join(process.env.DATA_DIR || join(ROOT, 'data'), 'cluster-drills');
const INTRODUCTION = `Your own machine, in a clone of the repository: type the blocks of docs/deploy/cluster-operation.md. Keys are in ~/krapao-keys.
machine list | off NAME | on NAME | add NAME ADDRESS | replace NAME: what a data centre does. exit ends the cluster.`;
const operatorFile = join(folder, 'operator.json');

if (await isRunning()) process.exitCode = await openShell(JSON.parse(readFileSync(operatorFile, 'utf8')));
else {
  await runUntilStopped(async ({ onStop, stopped }) => {
    ensureInstalled();
    ensurePackages();
    const network = requireDrillNetwork();
    return Promise.race([stopped, openShell(await startDrills(network, onStop))]);
  });
}

async function startDrills(network, onStop) {
  rmSync(folder, { recursive: true, force: true });
  console.log('Building a release of the last commit …');
  const release = makeRelease(folder);
  const options = { network, folder, release, isTemporary: true, say: console.log, onStarted: onStop };
  const cluster = await startCluster(options);
  const { postgres, authority, secretsFile, outsideFile, balancer } = cluster;
  await postgres.sql(await postgres.leader(), 'alter role krapao replication; grant pg_monitor to krapao;');
  const control = new DrillControl(folder, cluster.machines, cluster.addMachine);
  await control.listen();
  const { passwords } = postgres;
  const keys = { authority, passwords, secretsFile, outsideFile, publicHost: balancer.address };
  const operator = makeOperator(folder, keys);
  writeFileSync(operatorFile, JSON.stringify(operator), { mode: 0o600 });
  return operator;
}

/** Resolves with the exit status of the shell. */
async function openShell({ directory, env }) {
  const [machine] = positionals;
  if (machine !== undefined && !existsSync(join(folder, machine, 'home')))
    throw new UserError(`There is no machine ${machine}.`);
  const remote = machine === undefined ? [] : ['ssh', machine];
  const commands = values.c === undefined ? [] : ['-c', values.c];
  const args = machine === undefined ? ['bash', ...commands] : [...remote, ...commands.slice(1)];
  if (values.c === undefined) console.log(INTRODUCTION);
  const prompt = { PS1: `${machine ?? 'operator'}:\\w$ `, ...env };
  const child = spawn(args[0], args.slice(1), { cwd: directory, env: prompt, stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  return status ?? 1;
}

async function isRunning() {
  const socket = connect(join(folder, 'control.sock'));
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
