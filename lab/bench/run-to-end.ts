import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Stop functions of everything that a benchmark starts, called in reverse order in every case. */
export type StopFunctions = (() => Promise<void>)[];
type BenchmarkRun = (context: {
  folder: string;
  stopFunctions: StopFunctions;
  limit: (ms: number) => void;
}) => Promise<void>;

/**
 * Runs a benchmark and exits: with 1 if it fails, is interrupted or exceeds the limit that it sets. Its folder is removed.
 */
export async function runToEnd(run: BenchmarkRun): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-bench-'));
  const stopFunctions: StopFunctions = [];
  let isClosed = false;
  const exitWith = async (status: number, reason?: string): Promise<void> => {
    // Errors caused by the shutdown are ignored.
    if (isClosed) return;
    if (reason !== undefined) process.stderr.write(`${reason}\n`);
    isClosed = true;
    for (const close of stopFunctions.toReversed()) {
      await close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void exitWith(1));
  const limit = (ms: number): void => {
    setTimeout(() => void exitWith(1, 'The benchmark exceeded its time limit and was stopped.'), ms).unref();
  };
  try {
    await run({ folder, stopFunctions, limit });
    await exitWith(0);
  } catch (error) {
    await exitWith(1, error instanceof Error ? error.message : String(error));
  }
}

/** Prints one line of text. */
export function log(line: string): void {
  process.stdout.write(`${line}\n`);
}
