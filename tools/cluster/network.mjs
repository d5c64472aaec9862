import { spawnSync } from 'node:child_process';
import { Sentence } from '../install.mjs';
import { mustRun } from './machine.mjs';

/** Interfaces have names of at most 15 characters. */
export const BRIDGE = 'krapao';
/** The deployment files say 10.0.0: here a network that few machines are in. */
export const PREFIX = '10.213.0';
/** This machine in that network: browsers, counterparties, and the load come from it. */
export const HOST_ADDRESS = `${PREFIX}.1`;

/** Checks that this process may make namespaces and interfaces. @throws {Sentence} what is needed */
function assertNamespaces() {
  const probe = ['--net', '--mount', 'sh', '-c', 'ip link add krapao-probe type bridge && mount -t tmpfs tmpfs /mnt'];
  const { status, stderr, error } = spawnSync('unshare', probe, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Sentence(
    `The cluster needs namespaces of the network and of mounts, with bridges and overlays in them, and this machine refuses them (${(error?.message ?? stderr).trim()}). Run it as root on a machine or a virtual machine of its own, or in a container with --privileged (CAP_SYS_ADMIN and CAP_NET_ADMIN, no seccomp filter). \`npm start\` needs neither.`,
  );
}

/** Checks that a cluster can be started here. @throws {Sentence} another one runs, or namespaces are refused */
export function assertNetwork() {
  assertNamespaces();
  const { stdout } = spawnSync('ip', ['-o', 'link', 'show', 'master', BRIDGE], { encoding: 'utf8' });
  if (stdout.trim() !== '') throw new Sentence('A cluster runs on this machine already: stop that one first.');
}

/** Makes the network that the machines are in. @throws {Sentence} as {@link assertNetwork} */
export function makeNetwork() {
  assertNetwork();
  if (spawnSync('ip', ['link', 'show', BRIDGE]).status === 0) removeNetwork();
  mustRun('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
  mustRun('ip', ['addr', 'add', `${HOST_ADDRESS}/24`, 'dev', BRIDGE]);
  mustRun('ip', ['link', 'set', BRIDGE, 'up']);
}

export function removeNetwork() {
  spawnSync('ip', ['link', 'del', BRIDGE]);
}
