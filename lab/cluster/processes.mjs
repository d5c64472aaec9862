import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Sentence } from '../../tools/install.mjs';

/** Variable of the environment that tells which machine a process is of, where machines have no namespaces. */
export const MARK = 'KRAPAO_MACHINE';

/** Every process of a machine. @param network its network namespace as the kernel names it, or its mark */
export function processesOf(network) {
  if (network === undefined) return [];
  const isOf = network.startsWith('net:') ? isInNamespace : hasMark;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isOf(pid, network));
}

const isInNamespace = (pid, network) => namespaceOf(pid) === network;

// PostgreSQL's children overwrite theirs, and end with the postmaster.
function hasMark(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}

/** Network namespace of a process as the kernel names it; undefined when it has ended. */
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
    // Ended meanwhile.
  }
}

/** @returns standard output @throws {Sentence} with what it wrote to standard error */
export function mustRun(command, words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  throw new Sentence(`${command} ${words.join(' ')}\n${error?.message ?? stderr.trim()}`);
}
