import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../tools/install.mjs';
import { Machine } from '../machine.mjs';
import { MARK } from '../processes.mjs';

/** Paths of the deployment files. */
const PLACES =
  /\/etc\/(haproxy|krapao|patroni)\b(?!-)|\/var\/lib\/(krapao|postgresql|etcd|wal-archive)\b(?!-)|(\/opt\/krapao)\b(?!-)|\/run\/postgresql\b/g;

const isRoot = process.getuid() === 0;

/**
 * A machine without namespaces: an address of the loopback interface, and a folder instead of the paths of the deployment files.
 * It can't be cut off. Without root, all services run as this user.
 */
export class LoopbackMachine extends Machine {
  #sockets;

  async setUp() {
    for (const one of ['krapao', 'etcd', 'wal-archive']) mkdirSync(join(this.folder, 'lib', one), { recursive: true });
    // Paths of sockets have at most 107 characters.
    this.#sockets = mkdtempSync(join(tmpdir(), 'krapao-'));
  }

  get network() {
    return this.folder;
  }

  get environment() {
    return { ...super.environment, [MARK]: this.network };
  }

  place(text) {
    return text.replaceAll(PLACES, (_, etc, lib, program) => {
      if (etc) return join(this.folder, 'etc', etc);
      if (lib) return join(this.folder, 'lib', lib);
      return program ? ROOT : this.#sockets;
    });
  }

  enter(words, { user } = {}) {
    if (words[0] === 'chown' && !isRoot) return ['true'];
    if (user === undefined || !isRoot) return words;
    return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', ...words];
  }

  async tearDown() {
    if (!this.#sockets) return;
    await super.tearDown();
    rmSync(this.#sockets, { recursive: true, force: true });
  }
}
