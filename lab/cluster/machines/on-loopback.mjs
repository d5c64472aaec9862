import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../tools/install.mjs';
import { Machine } from '../machine.mjs';
import { MARK } from '../processes.mjs';

/** Paths of the deployment files. */
const DEPLOYMENT_PATHS =
  /\/etc\/(haproxy|krapao|patroni)\b(?!-)|\/var\/lib\/(krapao|postgresql|etcd|wal-archive)\b(?!-)|(\/opt\/krapao)\b(?!-)|\/run\/postgresql\b/g;

const isRoot = process.getuid() === 0;

/**
 * A machine without namespaces: a loopback address, and a folder that replaces the paths of the deployment files. It cannot be cut
 * off. Without root, all services run as this user.
 */
export class LoopbackMachine extends Machine {
  #sockets;

  async setUp() {
    for (const name of ['krapao', 'etcd', 'wal-archive'])
      mkdirSync(join(this.folder, 'lib', name), { recursive: true });
    // Socket paths have at most 107 characters.
    this.#sockets = mkdtempSync(join(tmpdir(), 'krapao-'));
  }

  get network() {
    return this.folder;
  }

  get environment() {
    return { ...super.environment, [MARK]: this.network };
  }

  localize(text) {
    return text.replaceAll(DEPLOYMENT_PATHS, (_, etc, lib, program) => {
      if (etc) return join(this.folder, 'etc', etc);
      if (lib) return join(this.folder, 'lib', lib);
      return program ? ROOT : this.#sockets;
    });
  }

  enter(args, { user } = {}) {
    if (args[0] === 'chown' && !isRoot) return ['true'];
    if (user === undefined || !isRoot) return args;
    return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', ...args];
  }

  async tearDown() {
    if (!this.#sockets) return;
    await super.tearDown();
    rmSync(this.#sockets, { recursive: true, force: true });
  }
}
