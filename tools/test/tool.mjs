import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, ROOT } from '../install.mjs';

/** Runs a program under the project's Node and shows its output. Counts as one passed or failed item. */
export async function runTool(args, { cwd = ROOT, env = process.env, output = 'inherit' } = {}) {
  const status = await runNode(args, { cwd, env, output });
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * Runs a program under the project's Node; returns its exit code.
 * @param output destination of its output: a file descriptor, or `inherit`
 */
export function runNode(args, { cwd = ROOT, env = process.env, output = 'inherit' } = {}) {
  const child = spawn(projectNode(), args, { cwd, env, stdio: ['ignore', output, output] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Runs work concurrently with another stage; its output goes to a file.
 * @param run receives the file descriptor of the output
 * @returns a function that waits for the end, prints the output, and returns the result of `run`
 */
export function beginBeside(log, run) {
  const output = openSync(log, 'w');
  const runningTool = run(output).finally(() => closeSync(output));
  // A rejection before the await must not end the process.
  runningTool.catch(() => undefined);
  return async () => {
    try {
      return await runningTool;
    } finally {
      process.stdout.write(readFileSync(log));
    }
  };
}

/**
 * Runs programs two at a time; their output goes to reports/NAME.log.
 * @param checks name, title and command line of each
 * @returns by name, a function that waits for the end, prints the output, and returns the result of `runTool`
 */
export function beginChecks(checks) {
  const runningChecks = [];
  const checkResults = checks.map(([name, , args], index) => {
    const run = async (output) => {
      await runningChecks[index - 2]?.catch(() => undefined);
      return runTool(args, { output });
    };
    const log = join(ROOT, 'reports', `${name}.log`);
    return [name, beginBeside(log, (output) => (runningChecks[index] = run(output)))];
  });
  return new Map(checkResults);
}
