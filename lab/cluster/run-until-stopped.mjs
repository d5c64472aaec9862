import { UserError } from '../../tools/install.mjs';

const PARENT_POLL_MS = 1_000;

/**
 * Runs a program that starts a cluster, then exits: at its end, at a signal, or when npm exits. The function passed to `onStop`
 * runs before, in every case.
 * @param program receives `onStop` and `stopped`, which resolves at a signal; resolves with the exit code (default 0)
 */
export async function runUntilStopped(program) {
  const { promise: stopped, resolve: stop } = Promise.withResolvers();
  let cleanUp = async () => {};
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop());
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  if (process.env.npm_lifecycle_event) {
    const parentPid = process.ppid;
    setInterval(() => process.ppid !== parentPid && stop(), PARENT_POLL_MS).unref();
  }
  const run = program({ stopped, onStop: (stopProgram) => (cleanUp = stopProgram) });
  let status = 0;
  try {
    status = (await Promise.race([run, stopped])) ?? 0;
  } catch (error) {
    const isExpected = error instanceof UserError || String(error.code).startsWith('ERR_PARSE_ARGS');
    console.error(isExpected ? error.message : error.stack);
    status = 1;
  }
  run.catch(() => {});
  console.log('Stopping …');
  await cleanUp();
  process.exit(status);
}
