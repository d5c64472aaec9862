import { watch } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';

const SOURCES = ['server/src', 'server/seed', 'server/migrations', 'contract/src', 'phrases'];
/** Editors write a file in several operations and save several files together. */
const SETTLED_MS = 150;

/**
 * Runs a child and restarts it whenever a source of the server changes. A child that ends unexpectedly restarts at
 * the next change; the other programs keep running.
 * @param start starts the child, as `startChild` does
 * @param say prints a message
 */
export function restartOnChange(start, say) {
  let child;
  let resolveReady;
  const ready = new Promise((resolve) => (resolveReady = resolve));
  const begin = () => {
    const begun = start();
    void begun.ready.then(resolveReady);
    void begun.exited.then(() => {
      if (begun === child && !restarting && !isStopped)
        say('The server has stopped. It starts again when a source changes.');
    });
    return begun;
  };
  let restarting;
  let isDirty = false;
  let isStopped = false;
  let timer;
  const restart = async () => {
    isDirty = true;
    if (restarting) return;
    restarting = (async () => {
      while (isDirty && !isStopped) {
        isDirty = false;
        const since = performance.now();
        await child.stop('SIGINT');
        if (isStopped) return;
        child = begin();
        const isReady = await Promise.race([child.ready.then(() => true), child.exited.then(() => false)]);
        if (isStopped) return;
        if (isReady) say(`The server is up again after ${Math.round(performance.now() - since)} ms.`);
        else say('The server could not start. It tries again when a source changes.');
      }
    })();
    await restarting;
    restarting = undefined;
  };
  const watchers = SOURCES.map((source) =>
    watch(join(ROOT, source), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void restart(), SETTLED_MS);
    }),
  );
  child = begin();
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
