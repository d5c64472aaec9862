import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from '../../../tools/install.mjs';
import { parseEnvironment, unitSetting } from '../files.mjs';
import { NICENESS } from '../nodes.mjs';

/** Units without an effect on the test cluster. */
const IGNORED_UNIT = /\.(timer|socket|target)$|^(krapao-(?!outside)|systemd-)/;
const STARTED_VERBS = ['start', 'restart', 'try-restart', 'reload', 'reload-or-restart'];
const WITHOUT_EFFECT = ['daemon-reload', 'disable', 'reset-failed', 'unmask', 'mask'];
const NO_SUCH_UNIT = 5;
const NOT_RUNNING = 3;
const MISSING_PACKAGE = 100;
/** Packages whose programs the host may have from elsewhere. */
const OTHER_PROGRAMS = new Set(['nodejs', 'npm']);
const START_TIMEOUT_MS = 120_000;

/** Functions that a starting server calls through systemd-notify, by machine. */
const readyListeners = new Map();

/** How each service starts, by the files of its machine. */
const SERVICES = {
  etcd: async (machine) => ({
    command: ['/usr/bin/etcd'],
    env: { ETCD_DATA_DIR: '/var/lib/etcd/default', ...(await environmentIn(machine, '/etc/default/etcd')) },
    user: 'postgres',
    paths: ['/var/lib/etcd'],
  }),
  patroni: async () => ({
    command: ['/usr/bin/patroni', '/etc/patroni/config.yml'],
    user: 'postgres',
    paths: ['/var/lib/postgresql', '/var/lib/wal-archive', '/run/postgresql'],
  }),
  haproxy: async () => ({ command: ['/usr/sbin/haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg'] }),
  krapao: async (machine) => {
    const unitText = await machine.run(['cat', '/etc/systemd/system/krapao.service']);
    const pairs = unitSetting(unitText, 'Environment').split(' ');
    return {
      command: unitSetting(unitText, 'ExecStart').split(' '),
      directory: unitSetting(unitText, 'WorkingDirectory'),
      isNotifying: true,
      env: {
        NOTIFY_SOCKET: '/run/systemd/notify',
        ...parseEnvironment(pairs.join('\n')),
        ...(await environmentIn(machine, unitSetting(unitText, 'EnvironmentFile'))),
      },
      niceness: NICENESS,
    };
  },
};

const environmentIn = async (machine, path) => parseEnvironment(await machine.run(['cat', path]));

/** Runs `systemctl` for a machine. Services of the cluster run as root or as postgres. @returns status and output */
export async function systemctl(machine, args) {
  const [verb, ...names] = args.filter((arg) => !arg.startsWith('-'));
  const units = names.map((name) => name.replace(/\.service$/, '')).filter((name) => !IGNORED_UNIT.test(name));
  if (WITHOUT_EFFECT.includes(verb) || (verb === 'enable' && !args.includes('--now'))) return { status: 0, output: '' };
  for (const unit of units) {
    if (unit === 'nftables') {
      await machine.run(verb === 'stop' ? ['nft', 'flush', 'ruleset'] : ['nft', '-f', '/etc/nftables.conf']);
      continue;
    }
    if (!Object.hasOwn(SERVICES, unit)) return { status: NO_SUCH_UNIT, output: `Unit ${unit}.service not found.\n` };
    const result = await controlService(machine, verb, unit);
    if (result) return result;
  }
  return { status: 0, output: '' };
}

async function controlService(machine, verb, unit) {
  if (verb === 'is-active' || verb === 'status') {
    const isActive = machine.isRunning(unit);
    return { status: isActive ? 0 : NOT_RUNNING, output: `${isActive ? 'active' : 'inactive'}\n` };
  }
  if (verb === 'stop') await machine.stop(unit);
  else if (verb === 'start' && machine.isRunning(unit)) return undefined;
  else if (verb === 'enable' || STARTED_VERBS.includes(verb)) await startService(machine, unit);
  else return { status: 1, output: `Unknown command verb ${verb}.\n` };
  return undefined;
}

/** Starts a service by the files that are on its machine now. @throws {UserError} it does not become ready in time */
async function startService(machine, unit) {
  const { paths = [], isNotifying = false, ...options } = await SERVICES[unit](machine);
  for (const path of paths) await machine.run(['mkdir', '-p', path]);
  if (paths.length > 0) await machine.run(['chown', '-R', `${options.user}:`, ...paths]);
  await machine.stop(unit);
  const ready = new Promise((resolve) => readyListeners.set(machine.name, resolve));
  machine.start(unit, options);
  if (!isNotifying) return;
  const isReady = await Promise.race([ready.then(() => true), wait(START_TIMEOUT_MS, false, { ref: false })]);
  if (!isReady) throw new UserError(`Job for ${unit}.service failed: see journalctl -u ${unit}.`);
}

/** Receives `systemd-notify` of a machine. */
export function notify(machine, args) {
  if (args.includes('READY=1')) readyListeners.get(machine.name)?.();
  return { status: 0, output: '' };
}

/** Path of the log of a service. */
export const logOf = (machineFolder, unit) => join(machineFolder, 'log', `${unit}.log`);

/** Runs `apt-get` for a machine, which has the packages of this one. */
export function aptGet(args) {
  const [verb, ...packages] = args.filter((arg) => !arg.startsWith('-'));
  const isInstalled = (name) => spawnSync('dpkg-query', ['-s', name], { stdio: 'ignore' }).status === 0;
  const missing = verb === 'install' ? packages.filter((name) => !OTHER_PROGRAMS.has(name) && !isInstalled(name)) : [];
  if (missing.length === 0) return { status: 0, output: '' };
  return { status: MISSING_PACKAGE, output: `Unable to locate ${missing.join(', ')}: install it on the host first.\n` };
}
