import { type ChildProcess, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from './harness.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The simulators as a process of their own. */
export function run(env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout?.on('data', (part) => (text += part));
  child.stderr?.on('data', (part) => (text += part));
  return { child, output: () => text };
}

/** The exit code of a process, once it has ended; null when a signal ended it. */
export const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(child.exitCode),
  );

/** A running process and where it listens. */
export async function ready(
  t: TestContext,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; address: string }> {
  const { child, output } = run(env);
  t.after(() => child.kill('SIGKILL'));
  await until(() => /ready http\S+\n/.test(output()), 'the ready line');
  return { child, address: /ready (http\S+)/.exec(output())?.[1] ?? '' };
}
