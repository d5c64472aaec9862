import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectNode, ROOT } from './install.mjs';

/**
 * Runs a program under the project's Node, in its own process group, so that Ctrl-C reaches only the launcher. The
 * program stops when this process ends. Its output is not piped: a pipe would block it, or kill it with the launcher.
 * @param output `inherit` or `ignore`: destination of its standard output
 * @param patienceMs time to stop before it is killed
 */
export function startChild({ name, flags = [], program, env, output, patienceMs }) {
  const nodeArgs = [...flags, '--import', join(ROOT, 'tools/start/stop-with-parent.mjs'), join(ROOT, program)];
  const child = spawn(projectNode(), nodeArgs, {
    cwd: ROOT,
    env: { ...process.env, ...env, STOP_PATIENCE_MS: String(patienceMs) },
    detached: true,
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  const exit = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ name, code, signal }));
    child.once('error', (error) => resolve({ name, code: 1, signal: null, error }));
  });
  return {
    name,
    pid: child.pid,
    exited: exit,
    /** Resolves with the child's first ready message. */
    ready: new Promise((resolve) => child.on('message', (message) => message?.ready && resolve(message.ready))),
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      const killTimer = setTimeout(() => killGroup(child.pid), patienceMs);
      await exit;
      clearTimeout(killTimer);
    },
    /** Sends another signal to a child that is already stopping. */
    signal: (signal) => child.kill(signal),
    kill: () => killGroup(child.pid),
  };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
