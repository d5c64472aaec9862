import { Sentence } from '../../tools/install.mjs';

const PARENT_POLL_MS = 1_000;

/**
 * Runs a program that starts a cluster, and ends this process: when the program has ended, at a signal, or when npm is gone.
 * What was given to `onStop` runs before, however the program ends.
 * @param program gets `onStop` and `stopped`, which resolves at a signal; resolves with the exit code, 0 if none
 */
export async function runUntilStopped(program) {
  const { promise: stopped, resolve: stop } = Promise.withResolvers();
  let ending = async () => {};
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop());
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), PARENT_POLL_MS).unref();
  }
  const run = program({ stopped, onStop: (end) => (ending = end) });
  let status = 0;
  try {
    status = (await Promise.race([run, stopped])) ?? 0;
  } catch (error) {
    const isSentence = error instanceof Sentence || String(error.code).startsWith('ERR_PARSE_ARGS');
    console.error(isSentence ? error.message : error.stack);
    status = 1;
  }
  run.catch(() => {});
  console.log('Stopping …');
  await ending();
  process.exit(status);
}
