import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../child.mjs';
import { ROOT } from '../install.mjs';
import { ensureSecrets, writeOutside } from '../outside.mjs';
import { Authority } from './certificates.mjs';
import { startBalancer } from './balancer.mjs';
import { Machine } from './machine.mjs';
import { BRIDGE, HOST_ADDRESS, makeNetwork, PREFIX } from './network.mjs';
import { NICENESS, Nodes, urlOf } from './nodes.mjs';
import { Postgres } from './postgres.mjs';

const SIMULATORS_PORT = 3100;
const SIMULATORS_PATIENCE_MS = 10_000;
const BALANCER = `${PREFIX}.10`;
/** Host parts of the addresses, as in the deployment files. */
const NODES = { node1: 11, node2: 12, node3: 13 };
const SERVERS = { pg1: 21, pg2: 22, pg3: 23 };

/**
 * Starts three API nodes, three PostgreSQL servers under Patroni, HAProxy and the simulated outside.
 * @param wish `folder` of its data; `env`: more settings of the nodes; `tmpfs`: size of the disks of PostgreSQL in memory,
 *   which end with the cluster; `isTemporary`: so does the folder, even after a kill; `older`: version that the nodes begin with;
 *   `outsideTimeoutMs`; `onStarted` is called with what stops it before anything runs
 */
export async function startCluster(wish) {
  const { folder, env = {}, tmpfs, isTemporary = false, older, outsideTimeoutMs = 10_000, say, onStarted } = wish;
  const machines = [];
  const outsiders = [];
  makeNetwork();
  const reaper = startReaper(isTemporary ? [folder] : []);
  onStarted(async () => {
    // Nodes first, so that none of them loses what it calls.
    await Promise.all(machines.map((machine) => machine.stop('krapao')));
    await Promise.all(machines.map((machine) => machine.tearDown()));
    await Promise.all(outsiders.map((child) => child.stop('SIGTERM')));
    reaper.stdin.end();
    await once(reaper, 'exit');
  });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const make = async (name, host, more = {}) => {
    const described = { name, address: `${PREFIX}.${host}`, folder: join(folder, name), bridge: BRIDGE, ...more };
    const machine = new Machine(described);
    machines.push(machine);
    await machine.setUp();
    reaper.stdin.write(`${String(machine.namespace)}\n`);
    return machine;
  };
  const balancer = await make('balancer', 10);
  const servers = [];
  for (const [name, host] of Object.entries(SERVERS)) servers.push(await make(name, host, { tmpfs }));
  const nodeMachines = [];
  for (const [name, host] of Object.entries(NODES)) nodeMachines.push(await make(name, host, { older: older?.source }));

  const authority = new Authority(join(folder, 'certificates'));
  const publicUrl = `https://${BALANCER}`;
  const outside = `http://${HOST_ADDRESS}:${SIMULATORS_PORT}`;
  const [secretsFile, outsideFile] = [join(folder, 'secrets.json'), join(folder, 'outside.json')];
  const places = { url: publicUrl, outside, publicUrl, simulatorsUrl: outside, followHost: [] };
  writeOutside(outsideFile, ensureSecrets(secretsFile), places, outsideTimeoutMs);

  say('Starting etcd and PostgreSQL under Patroni …');
  const postgres = new Postgres(servers, { authority, balancer: BALANCER, folder });
  await postgres.start();
  const leader = await postgres.ready();
  await postgres.createDatabase(leader);
  startBalancer(balancer, authority);
  const simulators = startSimulators({ folder, outsideFile, authority });
  outsiders.push(simulators);
  await simulators.told;
  say('Starting the nodes …');
  const nodes = new Nodes(nodeMachines, {
    authority,
    publicUrl,
    password: postgres.passwords.krapao,
    secretsFile,
    outsideFile,
    env,
    older,
  });
  await nodes.start();
  const { DATABASE_URL } = nodeMachines[0].service.env;
  const databaseUrl = DATABASE_URL.replace('/etc/krapao/ca.crt', authority.certificate);
  return { publicUrl, outside, balancer, postgres, nodes, older, databaseUrl, secretsFile, outsideFile, authority };
}

function startReaper(folders) {
  return spawn(process.execPath, [join(ROOT, 'tools/cluster/reaper.mjs'), ...folders], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  });
}

function startSimulators({ folder, outsideFile, authority }) {
  const env = {
    HOST: HOST_ADDRESS,
    SIMULATORS_PORT: String(SIMULATORS_PORT),
    OUTSIDE_FILE: outsideFile,
    DATA_DIR: folder,
    // Its callbacks go to the balancer.
    NODE_EXTRA_CA_CERTS: authority.certificate,
  };
  const program = 'simulators/src/main.ts';
  const child = startChild({ name: 'simulators', program, env, output: 'ignore', patienceMs: SIMULATORS_PATIENCE_MS });
  setPriority(child.pid, getPriority() + NICENESS);
  return child;
}

/** The addresses of a cluster, for a person. */
export function describeCluster({ publicUrl, outside, postgres, nodes, databaseUrl, authority }) {
  const servers = postgres.machines.map(({ name, address }) => `${name} ${address}`).join(' · ');
  return [
    `The cluster is ready: ${publicUrl} (app, certificate of ${authority.certificate}) · ${outside} (the outside world and your phone)`,
    `Nodes: ${nodes.machines.map((machine) => `${machine.name} ${urlOf(machine)}`).join(' · ')}`,
    `PostgreSQL: ${servers}; leader: ${databaseUrl.replace(/:[^:@]*@/, ':…@')}`,
    'Ctrl-C stops it all.',
  ].join('\n');
}
