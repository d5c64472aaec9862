import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Sentence } from '../../tools/install.mjs';
import { BRIDGE, NamespaceMachine } from './machines/in-namespaces.mjs';
import { LoopbackMachine } from './machines/on-loopback.mjs';
import { mustRun } from './processes.mjs';

/** Machines in namespaces, connected by a bridge; this machine is one of them. */
const namespaces = {
  prefix: '10.213.0',
  ports: { http: 80, https: 443 },
  Machine: NamespaceMachine,
  /** What a machine sees of callers with these addresses. */
  seenAs: (addresses) => addresses,
  folderOf: (folder) => folder,
  isInUse: () => spawnSync('ip', ['-o', 'link', 'show', 'master', BRIDGE], { encoding: 'utf8' }).stdout.trim() !== '',
  make() {
    if (spawnSync('ip', ['link', 'show', BRIDGE]).status === 0) removeNetwork();
    mustRun('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
    mustRun('ip', ['addr', 'add', `${this.prefix}.1/24`, 'dev', BRIDGE]);
    mustRun('ip', ['link', 'set', BRIDGE, 'up']);
  },
};

/** Port 5000 of 127.213.0.10 in state LISTEN, as the kernel lists it. */
const BALANCER_LISTENS = '0A00D57F:1388 00000000:0000 0A';

/** Machines that are addresses of the loopback interface, where namespaces are refused. */
const loopback = {
  prefix: '127.213.0',
  ports: { http: 8080, https: 8443 },
  Machine: LoopbackMachine,
  // Linux calls any loopback address from the first one.
  seenAs: () => '127.0.0.1/32',
  // Of root's own folders PostgreSQL's user can reach none.
  folderOf: (folder) => (process.getuid() === 0 ? '/var/lib/krapao-cluster' : folder),
  isInUse: () => readFileSync('/proc/net/tcp', 'utf8').includes(BALANCER_LISTENS),
  make() {},
};

function whyNoNamespaces() {
  const probe = ['--net', '--mount', 'sh', '-c', 'ip link add krapao-probe type bridge && mount -t tmpfs tmpfs /mnt'];
  const { status, stderr, error } = spawnSync('unshare', probe, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr).trim();
}

/** Where a cluster can be started here: in namespaces where they are allowed, else on loopback addresses. @throws {Sentence} one runs */
export function chooseNetwork(say) {
  const why = whyNoNamespaces();
  if (why === undefined) return assertFree(namespaces);
  say(`Namespaces are refused here (${why}): the machines are addresses of the loopback interface.`);
  return assertFree(loopback);
}

/** Namespaces, for faults that need them. @throws {Sentence} they are refused, or a cluster runs */
export function requireNamespaces() {
  const why = whyNoNamespaces();
  if (why === undefined) return assertFree(namespaces);
  throw new Sentence(
    `The faults need namespaces of the network and of mounts, with bridges and overlays in them, and this machine refuses them (${why}). Run them as root on a machine or a virtual machine of its own, or in a container with --privileged (CAP_SYS_ADMIN and CAP_NET_ADMIN, no seccomp filter). \`npm run lab -- cluster\` and \`npm start\` need neither.`,
  );
}

function assertFree(network) {
  if (!network.isInUse()) return network;
  throw new Sentence('A cluster runs on this machine already: stop that one first.');
}

export function removeNetwork() {
  spawnSync('ip', ['link', 'del', BRIDGE]);
}
