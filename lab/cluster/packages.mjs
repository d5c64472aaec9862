import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { UserError } from '../../tools/install.mjs';

/** Debian packages of the cluster, each with a file that it installs. */
const FILE_OF_PACKAGE = {
  'etcd-client': '/usr/bin/etcdctl',
  git: '/usr/bin/git',
  'python3-etcd': '/usr/lib/python3/dist-packages/etcd/__init__.py',
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  iproute2: '/usr/sbin/ip',
  nftables: '/usr/sbin/nft',
  openssl: '/usr/bin/openssl',
};

/**
 * Installs missing Debian packages.
 * @throws {UserError} not Linux, no apt, not root, or apt fails
 */
export function ensurePackages(print = console.log) {
  if (process.platform !== 'linux') throw new UserError('The cluster runs on Linux.');
  const missingPackages = Object.keys(FILE_OF_PACKAGE).filter((name) => !existsSync(FILE_OF_PACKAGE[name]));
  if (missingPackages.length === 0) return;
  if (process.getuid() !== 0) throw new UserError(`As root: apt-get install ${missingPackages.join(' ')}`);
  print(`Installing Debian packages: ${missingPackages.join(', ')} …`);
  runApt('update');
  runApt('install', '--yes', '--no-install-recommends', ...missingPackages);
  const stillMissing = missingPackages.filter((name) => !existsSync(FILE_OF_PACKAGE[name]));
  if (stillMissing.length > 0)
    throw new UserError(`apt-get did not install ${stillMissing.join(', ')}: install them manually.`);
}

function runApt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr, error } = spawnSync('apt-get', ['-q', ...args], { env, encoding: 'utf8' });
  if (error) throw new UserError(`apt-get is needed to install packages (${error.code}): use Debian 12.`);
  if (status !== 0) throw new UserError(`apt-get ${args[0]} failed:\n${stderr.trim()}`);
}
