import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { UserError } from '../../tools/install.mjs';

/** Environment variable with the machine of a process, used without namespaces. */
export const MARK = 'KRAPAO_MACHINE';

/** All processes of a machine. @param network name of its network namespace in the kernel, or its mark */
export function processesOf(network) {
  if (network === undefined) return [];
  const isOfNetwork = network.startsWith('net:') ? isInNamespace : hasMark;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isOfNetwork(pid, network));
}

const isInNamespace = (pid, network) => namespaceOf(pid) === network;

// PostgreSQL's children overwrite their environment; they end with the postmaster.
function hasMark(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}

/** Kernel name of the network namespace of a process; undefined if it has ended. */
export function namespaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** Sends a signal to a process that may have ended. */
export function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Already ended.
  }
}

/** Runs a command. @returns standard output @throws {UserError} with its standard error */
export function mustRun(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  throw new UserError(`${command} ${args.join(' ')}\n${error?.message ?? stderr.trim()}`);
}
