import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readSync, closeSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectNode, ROOT } from './install.mjs';

const LOG_LIMIT_BYTES = 20 * 1024 * 1024;
const STOP_PATIENCE_MS = 20_000;
const POLL_MS = 30;

/**
 * Runs a program of ours under the project's Node, in a process group of its own (Ctrl-C is for the launcher), with its
 * output in a file (a pipe would block it, or kill it when the launcher dies). It stops when this process is gone.
 */
export function startChild({ name, flags = [], program, env, logFile }) {
  const log = openLog(logFile);
  const words = [...flags, '--import', join(ROOT, 'tools/stop-with-parent.mjs'), join(ROOT, program)];
  const child = spawn(projectNode(), words, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', log.descriptor, 'inherit', 'ipc'],
  });
  closeSync(log.descriptor);
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ name, code, signal }));
    child.once('error', (error) => resolve({ name, code: 1, signal: null, error }));
  });
  return {
    name,
    pid: child.pid,
    exited,
    /** Settles with the first message of the child that says ready. */
    told: new Promise((resolve) => child.on('message', (message) => message?.ready && resolve(message.ready))),
    /** Settles when a line with the text stands in the output of this run. */
    printed: (text) => untilPrinted(logFile, log.from, text, exited),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const forced = setTimeout(() => kill(child.pid), STOP_PATIENCE_MS);
      await exited;
      clearTimeout(forced);
    },
    kill: () => kill(child.pid),
  };
}

function kill(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

async function untilPrinted(path, from, text, exited) {
  let running = true;
  void exited.then(() => (running = false));
  while (running) {
    if (readFrom(path, from).includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function readFrom(path, from) {
  const descriptor = openSync(path, 'r');
  const buffer = Buffer.alloc(64 * 1024);
  const length = readSync(descriptor, buffer, 0, buffer.length, from);
  closeSync(descriptor);
  return buffer.toString('utf8', 0, length);
}

function openLog(path) {
  mkdirSync(dirname(path), { recursive: true });
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(path, `${path}.1`);
  return { descriptor: openSync(path, 'a', 0o600), from: size > LOG_LIMIT_BYTES ? 0 : size };
}
