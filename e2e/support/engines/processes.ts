import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { START_MS } from './engine.ts';

export type Started = { said: string; stop: () => Promise<void> };

/**
 * Starts a program.
 * @param ready what it prints when it is ready, on any of its outputs; undefined when it prints nothing
 * @returns the first group of `ready`, and how to end it
 */
export async function start(
  command: string,
  words: readonly string[],
  ready: RegExp | undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(command, words, {
    env: { ...process.env, ...environment },
    // The fourth is where Xvfb writes its number.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A group of its own: a browser is many processes.
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const timer = setTimeout(() => reject(new Error(`${command} was not ready in time:\n${output}`)), START_MS);
  for (const stream of child.stdio.slice(1) as Readable[])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready?.exec(output);
      if (match) resolve(match[1] ?? '');
    });
  child.once('error', reject);
  if (!ready) child.once('spawn', () => resolve(''));
  child.once('exit', (code) => reject(new Error(`${command} ended with ${code ?? 'a signal'}:\n${output}`)));
  try {
    return { said: await promise, stop: () => stop(child) };
  } catch (failure) {
    await stop(child);
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
