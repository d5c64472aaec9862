import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { UserError } from '../../tools/install.mjs';
import { DrillMachine } from './drills/drill-machine.mjs';
import { BRIDGE, NamespaceMachine } from './machines/in-namespaces.mjs';
import { LoopbackMachine } from './machines/on-loopback.mjs';
import { mustRun } from './processes.mjs';

/** Machines in namespaces, connected by a bridge to each other and to this machine. */
const namespaceNetwork = {
  prefix: '10.213.0',
  ports: { http: 80, https: 443 },
  Machine: NamespaceMachine,
  /** Source addresses that a machine sees for callers with these addresses. */
  seenAs: (addresses) => addresses,
  folderOf: (folder) => folder,
  isInUse: () => spawnSync('ip', ['-o', 'link', 'show', 'master', BRIDGE], { encoding: 'utf8' }).stdout.trim() !== '',
  create() {
    if (spawnSync('ip', ['link', 'show', BRIDGE]).status === 0) removeNetwork();
    mustRun('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
    mustRun('ip', ['addr', 'add', `${this.prefix}.1/24`, 'dev', BRIDGE]);
    mustRun('ip', ['link', 'set', BRIDGE, 'up']);
  },
};

/** Port 5000 of 127.213.0.10 in state LISTEN, as the kernel lists it. */
const BALANCER_LISTENS = '0A00D57F:1388 00000000:0000 0A';

/** Machines as loopback addresses, where namespaces are refused. */
const loopbackNetwork = {
  prefix: '127.213.0',
  ports: { http: 8080, https: 8443 },
  Machine: LoopbackMachine,
  // Linux connects to any loopback address from the first one.
  seenAs: () => '127.0.0.1/32',
  // PostgreSQL's user cannot reach root's own folders.
  folderOf: (folder) => (process.getuid() === 0 ? '/var/lib/krapao-cluster' : folder),
  isInUse: () => readFileSync('/proc/net/tcp', 'utf8').includes(BALANCER_LISTENS),
  create() {},
};

/** Machines for the drills of docs/deploy, with the addresses of these pages. */
const drillNetwork = { ...namespaceNetwork, prefix: '10.0.0', Machine: DrillMachine };

function namespaceError() {
  const probeArgs = [
    '--net',
    '--mount',
    'sh',
    '-c',
    'ip link add krapao-probe type bridge && mount -t tmpfs tmpfs /mnt',
  ];
  const { status, stderr, error } = spawnSync('unshare', probeArgs, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr).trim();
}

/** Chooses namespaces if they are allowed, else loopback addresses. @throws {UserError} a cluster already runs */
export function chooseNetwork(print) {
  const reason = namespaceError();
  if (reason === undefined) return assertFree(namespaceNetwork);
  print(`Namespaces are refused (${reason}): machines are loopback addresses.`);
  return assertFree(loopbackNetwork);
}

/** Namespaces, for faults that need them. @throws {UserError} they are refused, or a cluster already runs */
export function requireNamespaces() {
  const reason = namespaceError();
  if (reason === undefined) return assertFree(namespaceNetwork);
  throw new UserError(
    `Faults need network and mount namespaces with bridges and overlays, which this machine refuses (${reason}). Run them as root on a dedicated machine or virtual machine, or in a container with --privileged (CAP_SYS_ADMIN and CAP_NET_ADMIN, no seccomp filter). \`npm run lab -- cluster\` and \`npm start\` do not need them.`,
  );
}

/** Namespaces with the addresses of docs/deploy. @throws {UserError} refused, or those addresses are in use */
export function requireDrillNetwork() {
  requireNamespaces();
  const route = spawnSync('ip', ['route', 'get', `${drillNetwork.prefix}.10`], { encoding: 'utf8' }).stdout;
  if (/ via /.test(route) || route === '') return drillNetwork;
  throw new UserError(
    `This machine's own network is ${drillNetwork.prefix}.0/24, which the drills need: use another machine.`,
  );
}

function assertFree(network) {
  if (!network.isInUse()) return network;
  throw new UserError('A cluster already runs on this machine: stop it first.');
}

export function removeNetwork() {
  spawnSync('ip', ['link', 'del', BRIDGE]);
}
