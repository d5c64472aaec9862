import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../tools/child.mjs';
import { ROOT } from '../../tools/install.mjs';
import { ensureSecrets, writeOutside } from '../../tools/outside.mjs';
import { Authority } from './certificates.mjs';
import { startBalancer } from './balancer.mjs';
import { NICENESS, Nodes, urlOf } from './nodes.mjs';
import { Postgres } from './postgres.mjs';

const SIMULATORS_PORT = 3100;
const SIMULATORS_PATIENCE_MS = 10_000;
/** Host parts of the addresses, as in the deployment files; this machine is the first. */
const HERE = 1;
const BALANCER = 10;
const NODES = { node1: 11, node2: 12, node3: 13 };
const SERVERS = { pg1: 21, pg2: 22, pg3: 23 };

/**
 * Starts three API nodes, three PostgreSQL servers under Patroni, HAProxy and the simulated outside.
 * @param wish `network` (network.mjs); `folder` of its data; `env`: more settings of the nodes; `tmpfs`: size of the disks of PostgreSQL in memory,
 *   which end with the cluster; `isTemporary`: so does the folder, even after a kill; `older`: version that the nodes begin with;
 *   `outsideTimeoutMs`; `onStarted` is called with what stops it before anything runs
 */
export async function startCluster(wish) {
  const { network, folder, env = {}, isTemporary = false, older, outsideTimeoutMs = 10_000, say, onStarted } = wish;
  const machines = [];
  const outsiders = [];
  network.make();
  const reaper = startReaper(isTemporary ? [folder] : []);
  onStarted(async () => {
    // Nodes first, so that none of them loses what it calls.
    await Promise.all(machines.map((machine) => machine.stop('krapao')));
    await Promise.all(machines.map((machine) => machine.tearDown()));
    await Promise.all(outsiders.map((child) => child.stop('SIGTERM')));
    reaper.stdin.end();
    await once(reaper, 'exit');
  });
  // Services of other users have folders in it.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const addressOf = (host) => `${network.prefix}.${host}`;
  const add = async (machine) => {
    machines.push(machine);
    await machine.setUp();
    reaper.stdin.write(`${machine.network}\n`);
  };
  const { balancer, servers, nodeMachines } = await makeMachines(wish, add);

  const authority = new Authority(join(folder, 'certificates'));
  const { https } = network.ports;
  const publicUrl = new URL(`https://${balancer.address}:${https}`).origin;
  const outside = `http://${addressOf(HERE)}:${SIMULATORS_PORT}`;
  const [secretsFile, outsideFile] = [join(folder, 'secrets.json'), join(folder, 'outside.json')];
  const places = { url: publicUrl, outside, publicUrl, simulatorsUrl: outside, followHost: [] };
  writeOutside(outsideFile, ensureSecrets(secretsFile), places, outsideTimeoutMs);

  say('Starting etcd and PostgreSQL under Patroni …');
  const postgres = new Postgres(servers, {
    authority,
    balancer: balancer.address,
    clients: network.seenAs(addressOf('0/24')),
    folder,
  });
  await postgres.start();
  const leader = await postgres.ready();
  await postgres.createDatabase(leader);
  startBalancer(balancer, authority, network.ports);
  const simulators = startSimulators({ folder, outsideFile, authority, host: addressOf(HERE) });
  outsiders.push(simulators);
  await simulators.ready;
  say('Starting the nodes …');
  const nodes = new Nodes(nodeMachines, {
    authority,
    publicUrl,
    password: postgres.passwords.krapao,
    secretsFile,
    outsideFile,
    balancer: balancer.address,
    proxy: network.seenAs(balancer.address),
    env,
    older,
  });
  await nodes.start();
  const { DATABASE_URL } = nodeMachines[0].service.env;
  const databaseUrl = DATABASE_URL.replace('/etc/krapao/ca.crt', authority.certificate);
  return { publicUrl, outside, balancer, postgres, nodes, older, databaseUrl, secretsFile, outsideFile, authority };
}

/** @param add sets a machine up, and keeps it for the end */
async function makeMachines({ network: { prefix, Machine }, folder, tmpfs, older }, add) {
  const make = async ([name, host], more = {}) => {
    const machine = new Machine({ name, address: `${prefix}.${host}`, folder: join(folder, name), ...more });
    await add(machine);
    return machine;
  };
  const balancer = await make(['balancer', BALANCER]);
  const servers = [];
  for (const described of Object.entries(SERVERS)) servers.push(await make(described, { tmpfs }));
  const nodeMachines = [];
  for (const described of Object.entries(NODES)) nodeMachines.push(await make(described, { older: older?.source }));
  return { balancer, servers, nodeMachines };
}

function startReaper(folders) {
  return spawn(process.execPath, [join(ROOT, 'lab/cluster/reaper.mjs'), ...folders], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  });
}

function startSimulators({ folder, outsideFile, authority, host }) {
  const env = {
    HOST: host,
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
