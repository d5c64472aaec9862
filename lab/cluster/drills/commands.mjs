// `commands.mjs CLUSTER MACHINE NAME …`: programs of the drills. On machines those that need systemd or the network; on
// the operator's machine `ssh` and `machine`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnvironment } from '../files.mjs';
import { logOf } from './services.mjs';

const [clusterFolder, machineName, name, ...args] = process.argv.slice(2);
const UNREACHABLE = 255;
const LOG_LINES = '100';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const COMMANDS = {
  ssh: () => ssh(args),
  machine: () => request(),
  poweroff: () => request(),
  systemctl: () => request(),
  'systemd-notify': () => request(),
  'apt-get': () => request(),
  journalctl: () => showLog(args),
  'systemd-run': () => systemdRun(args),
  // The overlay of a new machine has neither Debian's cluster nor temporary files.
  pg_dropcluster: () => 0,
  'systemd-tmpfiles': () => run(['mkdir', '-p', '/var/lib/wal-archive']),
};

process.exitCode = await COMMANDS[name]();

function run([command, ...commandArgs], options = {}) {
  const { status, error } = spawnSync(command, commandArgs, { stdio: 'inherit', ...options });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}

/** Runs a command on a machine of the cluster as root, as OpenSSH does: its arguments are joined for a shell. */
function ssh(sshArgs) {
  const target = sshArgs.findIndex((arg) => !arg.startsWith('-'));
  const address = (sshArgs[target] ?? '').replace(/^.*@/, '');
  const machines = JSON.parse(readFileSync(join(clusterFolder, 'machines.json'), 'utf8'));
  const machine = machines.find((one) => one.address === address || one.name === address);
  if (!machine?.isOn) {
    console.error(`ssh: connect to host ${address} port 22: No route to host`);
    return UNREACHABLE;
  }
  const command = sshArgs.slice(target + 1).join(' ');
  const home = join(clusterFolder, machine.name, 'home');
  const namespaces = [`--net=/proc/${machine.anchorPid}/ns/net`, `--mount=/proc/${machine.anchorPid}/ns/mnt`];
  const environment = [`PATH=${PATH}`, `HOME=${home}`, 'LANG=C.UTF-8', `TERM=${process.env.TERM ?? 'dumb'}`];
  const shell = command === '' ? ['bash', '-i'] : ['bash', '-c', command];
  return run(['nsenter', ...namespaces, `--wd=${home}`, 'env', '-i', ...environment, ...npmSettings(), ...shell]);
}

/** Machines have no network: npm installs from this machine's cache, which the first release has filled. */
function npmSettings() {
  const { npm_config_cache: cache = '/root/.npm', npm_config_userconfig: config = '/root/.npmrc' } = process.env;
  return [`npm_config_cache=${cache}`, `npm_config_userconfig=${config}`, 'npm_config_prefer_offline=true'];
}

/** Sends a command to the process of the cluster. */
async function request() {
  const socket = connect(join(clusterFolder, 'control.sock'));
  socket.end(JSON.stringify({ machine: machineName, name, args }));
  const { status, output } = JSON.parse(await text(socket));
  (status === 0 ? process.stdout : process.stderr).write(output);
  return status;
}

function showLog(logArgs) {
  const unit = logArgs[logArgs.indexOf('-u') + 1]?.replace(/\.service$/, '') ?? 'krapao';
  const isFollowed = logArgs.some((arg) => arg === '-f' || arg === '-fu');
  return run(['tail', '-n', LOG_LINES, ...(isFollowed ? ['-F'] : []), logOf(join(clusterFolder, machineName), unit)]);
}

/** Runs a command with the settings of its options, as root. */
function systemdRun(runArgs) {
  const first = runArgs.findIndex((arg) => !arg.startsWith('-'));
  const valuesOf = (option) =>
    runArgs.slice(0, first).flatMap((arg) => (arg.startsWith(`--${option}=`) ? [arg.slice(option.length + 3)] : []));
  const properties = parseEnvironment(valuesOf('property').join('\n'));
  const settings = properties.EnvironmentFile ? parseEnvironment(readFileSync(properties.EnvironmentFile, 'utf8')) : {};
  const env = { ...process.env, ...settings, ...parseEnvironment(valuesOf('setenv').join('\n')) };
  return run(runArgs.slice(first), { env, cwd: valuesOf('working-directory')[0] });
}
