import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, ROOT } from '../install.mjs';

/** Runs a program under the project's Node and shows what it says. One item: it passed or it failed. */
export async function runTool(words, { cwd = ROOT, env = process.env, output = 'inherit' } = {}) {
  const status = await runNode(words, { cwd, env, output });
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * Runs a program under the project's Node; answers its exit code.
 * @param output where what it prints goes: a file descriptor, or `inherit` to show it
 */
export function runNode(words, { cwd = ROOT, env = process.env, output = 'inherit' } = {}) {
  const child = spawn(projectNode(), words, { cwd, env, stdio: ['ignore', output, output] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Runs something concurrently with another stage; its output goes to a file.
 * @param run is given the file descriptor to print to
 * @returns a function that waits for the end, prints the output, and answers what `run` did
 */
export function beginBeside(log, run) {
  const output = openSync(log, 'w');
  const running = run(output).finally(() => closeSync(output));
  // A rejection before it is awaited must not end the process.
  running.catch(() => undefined);
  return async () => {
    try {
      return await running;
    } finally {
      process.stdout.write(readFileSync(log));
    }
  };
}

/**
 * Runs programs two at a time; their output goes to reports/NAME.log.
 * @param checks name, title and command line of each
 * @returns by name, a function that waits for the end, prints the output, and answers as `runTool` does
 */
export function beginChecks(checks) {
  const running = [];
  const ends = checks.map(([name, , words], index) => {
    const run = async (output) => {
      await running[index - 2]?.catch(() => undefined);
      return runTool(words, { output });
    };
    const log = join(ROOT, 'reports', `${name}.log`);
    return [name, beginBeside(log, (output) => (running[index] = run(output)))];
  });
  return new Map(ends);
}
