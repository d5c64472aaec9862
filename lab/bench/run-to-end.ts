import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a bench starts it adds here; it is stopped in reverse order, however the bench ends. */
export type Closing = (() => Promise<void>)[];
type Run = (context: { folder: string; closing: Closing; limit: (ms: number) => void }) => Promise<void>;

/**
 * Runs a bench and ends this process: with 1 when it fails, is interrupted, or takes longer than the limit that it sets itself.
 * Its folder is removed.
 */
export async function runToEnd(run: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-bench-'));
  const closing: Closing = [];
  let isClosed = false;
  const end = async (status: number, why?: string): Promise<void> => {
    // What fails because it is being stopped is no news.
    if (isClosed) return;
    if (why !== undefined) process.stderr.write(`${why}\n`);
    isClosed = true;
    for (const close of closing.toReversed()) {
      await close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(1));
  const limit = (ms: number): void => {
    setTimeout(() => void end(1, 'The bench took far too long and was stopped.'), ms).unref();
  };
  try {
    await run({ folder, closing, limit });
    await end(0);
  } catch (error) {
    await end(1, error instanceof Error ? error.message : String(error));
  }
}

/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
