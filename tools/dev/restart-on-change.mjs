import { watch } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';

const WATCHED_FOLDERS = ['server/src', 'server/seed', 'server/migrations', 'server/sql', 'contract/src', 'phrases'];
/** Editors write a file in several operations and save several files together. */
const SETTLED_MS = 150;

/**
 * Runs a child and restarts it whenever a source of the server changes. A child that ends unexpectedly restarts at the
 * next change; the other programs keep running.
 * @param start starts the child, like `startChild`
 * @param print prints a message
 */
export function restartOnChange(start, print) {
  let child;
  let resolveReady;
  const ready = new Promise((resolve) => (resolveReady = resolve));
  const startChild = () => {
    const startedChild = start();
    void startedChild.ready.then(resolveReady);
    void startedChild.exited.then(() => {
      if (startedChild === child && !pendingRestart && !isStopped)
        print('The server has stopped. It starts again when a source changes.');
    });
    return startedChild;
  };
  let pendingRestart;
  let isDirty = false;
  let isStopped = false;
  let timer;
  const restart = async () => {
    isDirty = true;
    if (pendingRestart) return;
    pendingRestart = (async () => {
      while (isDirty && !isStopped) {
        isDirty = false;
        const startedAt = performance.now();
        await child.stop('SIGINT');
        if (isStopped) return;
        child = startChild();
        const isReady = await Promise.race([child.ready.then(() => true), child.exited.then(() => false)]);
        if (isStopped) return;
        if (isReady) print(`The server is up again after ${Math.round(performance.now() - startedAt)} ms.`);
        else print('The server could not start. It tries again when a source changes.');
      }
    })();
    await pendingRestart;
    pendingRestart = undefined;
  };
  const watchers = WATCHED_FOLDERS.map((source) =>
    watch(join(ROOT, source), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void restart(), SETTLED_MS);
    }),
  );
  child = startChild();
  return {
    /** Resolves when the server is ready for the first time. */
    ready,
    async stop(signal) {
      isStopped = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await child.stop(signal);
    },
    signal: (signal) => child.signal(signal),
    kill: () => child.kill(),
  };
}
