import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { BROWSER_START_TIMEOUT_MS } from './engine.ts';

export type StartedProcess = { readyMatch: string; stop: () => Promise<void> };

/**
 * Starts a program.
 * @param readyPattern output that shows that the program is ready, on any stream; undefined without such output
 * @returns the first group of the pattern, and a function that ends the program
 */
export async function startProcess(
  command: string,
  processArgs: readonly string[],
  readyPattern: RegExp | undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedProcess> {
  const child = spawn(command, processArgs, {
    env: { ...process.env, ...environment },
    // Xvfb writes its display number to the fourth stream.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A group of its own: a browser is many processes.
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const timer = setTimeout(
    () => reject(new Error(`${command} was not ready in time:\n${output}`)),
    BROWSER_START_TIMEOUT_MS,
  );
  for (const stream of child.stdio.slice(1) as Readable[])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = readyPattern?.exec(output);
      if (match) resolve(match[1] ?? '');
    });
  child.once('error', reject);
  if (!readyPattern) child.once('spawn', () => resolve(''));
  child.once('exit', (code) => reject(new Error(`${command} ended with ${code ?? 'a signal'}:\n${output}`)));
  try {
    return { readyMatch: await promise, stop: () => stopProcess(child) };
  } catch (failure) {
    await stopProcess(child);
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const processExit = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await processExit;
}
