import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../tools/child.mjs';
import { ROOT } from '../../tools/install.mjs';
import { ensureSecrets, writeOutside } from '../../tools/outside.mjs';
import { startBalancer } from './balancer.mjs';
import { Authority } from './certificates.mjs';
import { NICENESS, Nodes, urlOf } from './nodes.mjs';
import { Postgres } from './postgres.mjs';

const SIMULATORS_PORT = 3100;
const SIMULATORS_STOP_TIMEOUT_MS = 10_000;
/** Host numbers as in the deployment files; the first is this machine. */
const HOST_NUMBER = 1;
const BALANCER_NUMBER = 10;
const NODE_NUMBERS = { node1: 11, node2: 12, node3: 13 };
const SERVER_NUMBERS = { pg1: 21, pg2: 22, pg3: 23 };

/**
 * Starts three API nodes, three PostgreSQL servers under Patroni, HAProxy and the simulators.
 * @param options `network` (network.mjs); `folder` for data; `env`: extra settings of the nodes; `tmpfs`: size of PostgreSQL disks in
 *   memory; `isTemporary`: the folder is removed at the end, even after SIGKILL; `older`: version that the nodes start with;
 *   `outsideTimeoutMs`; `release`: folder of a release that each node installs (see DrillMachine); `onStarted` receives the stop
 *   function before anything runs
 */
export async function startCluster(options) {
  const { network, folder, env = {}, isTemporary = false, older, outsideTimeoutMs = 10_000, say, onStarted } = options;
  const machines = [];
  const children = [];
  network.create();
  const reaper = startReaper(isTemporary ? [folder] : []);
  onStarted(async () => {
    // Nodes first: they drain while the services that they call still run.
    await Promise.all(machines.map((machine) => machine.stop('krapao')));
    await Promise.all(machines.map((machine) => machine.tearDown()));
    await Promise.all(children.map((child) => child.stop('SIGTERM')));
    reaper.stdin.end();
    await once(reaper, 'exit');
  });
  // Readable: services of other users have folders in it.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const addressOf = (host) => `${network.prefix}.${host}`;
  const addMachine = async (machine) => {
    machines.push(machine);
    await machine.setUp();
    reaper.stdin.write(`${machine.network}\n`);
  };
  const { balancer, servers, nodeMachines } = await createMachines(options, addMachine);

  const authority = new Authority(join(folder, 'certificates'));
  const publicUrl = new URL(`https://${balancer.address}:${network.ports.https}`).origin;
  const outsideUrl = `http://${addressOf(HOST_NUMBER)}:${SIMULATORS_PORT}`;
  const [secretsFile, outsideFile] = [join(folder, 'secrets.json'), join(folder, 'outside.json')];
  const addresses = { url: publicUrl, outside: outsideUrl, publicUrl, simulatorsUrl: outsideUrl, followHost: [] };
  writeOutside(outsideFile, ensureSecrets(secretsFile), addresses, outsideTimeoutMs);
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
  const simulators = startSimulators({ folder, outsideFile, authority, host: addressOf(HOST_NUMBER) });
  children.push(simulators);
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
  const databaseUrl = nodeMachines[0].service.env.DATABASE_URL.replace('/etc/krapao/ca.crt', authority.certificate);
  return {
    publicUrl,
    outside: outsideUrl,
    machines,
    addMachine,
    balancer,
    postgres,
    nodes,
    older,
    databaseUrl,
    secretsFile,
    outsideFile,
    authority,
  };
}

/** @param add sets up a machine and registers it for the shutdown */
async function createMachines({ network: { prefix, Machine }, folder, tmpfs, older, release }, add) {
  const createMachine = async ([name, host], machineOptions = {}) => {
    const machine = new Machine({ name, address: `${prefix}.${host}`, folder: join(folder, name), ...machineOptions });
    await add(machine);
    return machine;
  };
  const balancer = await createMachine(['balancer', BALANCER_NUMBER]);
  const servers = [];
  for (const entry of Object.entries(SERVER_NUMBERS)) servers.push(await createMachine(entry, { tmpfs }));
  const nodeMachines = [];
  for (const entry of Object.entries(NODE_NUMBERS))
    nodeMachines.push(await createMachine(entry, { older: older?.source }));
  if (release) for (const machine of nodeMachines) await machine.installRelease(release);
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
    // Callbacks go to the balancer.
    NODE_EXTRA_CA_CERTS: authority.certificate,
  };
  const programPath = 'simulators/src/main.ts';
  const child = startChild({
    name: 'simulators',
    program: programPath,
    env,
    output: 'ignore',
    patienceMs: SIMULATORS_STOP_TIMEOUT_MS,
  });
  setPriority(child.pid, getPriority() + NICENESS);
  return child;
}

/** Text with the addresses of a cluster. */
export function describeCluster({ publicUrl, outside, postgres, nodes, databaseUrl, authority }) {
  const serverList = postgres.machines.map(({ name, address }) => `${name} ${address}`).join(' · ');
  return [
    `The cluster is ready: ${publicUrl} (app, certificate of ${authority.certificate}) · ${outside} (simulators and the phone)`,
    `Nodes: ${nodes.machines.map((machine) => `${machine.name} ${urlOf(machine)}`).join(' · ')}`,
    `PostgreSQL: ${serverList}; leader: ${databaseUrl.replace(/:[^:@]*@/, ':…@')}`,
    'Ctrl-C stops the cluster.',
  ].join('\n');
}
