import { type ChildProcess, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from './harness.ts';

const MAIN_PATH = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs the simulators as a separate process. */
export function run(env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [MAIN_PATH], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  child.stderr?.on('data', (chunk) => (text += chunk));
  return { child, output: () => text };
}

/** Exit code of a process after its end; null when a signal ended it. */
export const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(child.exitCode),
  );

/** Starts a process and waits until it is ready. */
export async function ready(
  t: TestContext,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; address: string }> {
  const { child, output } = run(env);
  t.after(() => child.kill('SIGKILL'));
  await until(() => /ready http\S+\n/.test(output()), 'the ready line');
  return { child, address: /ready (http\S+)/.exec(output())?.[1] ?? '' };
}
