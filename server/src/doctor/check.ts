import { spawn } from 'node:child_process';
import { UserError } from '../platform/errors.ts';
import { monotonicMs } from '../platform/time.ts';
import type { Finding } from './finding.ts';
import { createFindingFactory } from './finding.ts';

/** One check of doctor. Checks run in the order of their list; a new check is one more entry. */
export type Check<Context> = {
  /** First words of its findings, where it can't report any itself. */
  name: string;
  /** Paths that it reads. It is replaced by a fault when their file system does not reply. */
  reads?: (context: Context) => readonly string[];
  run: (context: Context) => Finding[] | Promise<Finding[]>;
};

/** The check did not end in time. */
export class CheckTimeout extends Error {}

const PATH_TIMEOUT_MS = 3_000;
/** Opens the path as `cat` would: a file of a silent server, or a pipe without a writer, never returns. */
const OPEN_SCRIPT = 'stat -f -- "$1"; [ -e "$1" ] && [ ! -d "$1" ] && head -c 1 -- "$1"';

/**
 * Runs checks concurrently and reports in the order of the list. A failure or a timeout becomes a fault.
 * @returns paths whose file system does not reply
 */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  { timeoutMs, report }: { timeoutMs: number; report: (findings: Finding[]) => void },
): Promise<ReadonlySet<string>> {
  const silentPaths = await findSilentPaths(checks.flatMap(({ reads }) => reads?.(context) ?? []));
  const runs = checks.map((check) => {
    const fault = findSilentPathFault(check, context, silentPaths);
    return fault === undefined ? runCheck(check, context, timeoutMs) : [fault];
  });
  for (const run of runs) report(await run);
  return silentPaths;
}

async function runCheck<Context>(check: Check<Context>, context: Context, timeoutMs: number): Promise<Finding[]> {
  try {
    return await runWithTimeout(timeoutMs, async () => check.run(context));
  } catch (error) {
    return [createUnexaminedFault(check.name, error, 'Remove the cause, and run doctor again.')];
  }
}

/** The fault that replaces the findings of a check that failed or took too long. */
export function createUnexaminedFault(name: string, error: unknown, remedy: string): Finding {
  const { message } = error as Error;
  const isSentence = error instanceof CheckTimeout || error instanceof UserError;
  return createFindingFactory(name).fault(
    isSentence ? message : `This was not examined: ${message.replaceAll(/\s+/g, ' ')}.`,
    remedy,
  );
}

/** Waits for the work, which continues after a timeout. @throws {CheckTimeout} it has not ended after `timeoutMs` */
export async function runWithTimeout<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const startedAt = monotonicMs();
  const timer = setTimeout(() => {
    const seconds = Math.round((monotonicMs() - startedAt) / 1_000);
    timeout.reject(new CheckTimeout(`This was not examined: nothing replied within ${seconds} s.`));
  }, timeoutMs);
  const result = work();
  // A failure after the timeout has no reader.
  result.catch(() => {});
  try {
    return await Promise.race([result, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The fault of a check that reads a path which does not reply; undefined when it reads none. */
export function findSilentPathFault<Context>(
  { name, reads }: Check<Context>,
  context: Context,
  silentPaths: ReadonlySet<string>,
): Finding | undefined {
  const silentPath = reads?.(context).find((path) => silentPaths.has(path));
  if (silentPath === undefined) return undefined;
  return createFindingFactory(name).fault(
    `${silentPath} can't be read: its file system does not reply.`,
    `Look at \`findmnt -T ${silentPath}\` and the machine that serves it.`,
  );
}

/** Opens each path in its own process: a call on a silent file system never returns. */
async function findSilentPaths(paths: readonly string[]): Promise<Set<string>> {
  const silentPaths = new Set<string>();
  const openPath = async (path: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const child = spawn('sh', ['-c', OPEN_SCRIPT, 'sh', path], { stdio: 'ignore', detached: true });
    const timer = setTimeout(() => {
      silentPaths.add(path);
      // The group: the shell waits for the process that is stuck.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      resolve();
    }, PATH_TIMEOUT_MS);
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
    await promise;
    clearTimeout(timer);
    child.unref();
  };
  await Promise.all([...new Set(paths)].map(openPath));
  return silentPaths;
}
