import { UserError } from '../../errors.ts';
import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root. This is how its programs are run instead. */
export type Sandbox = {
  /** Folder `native` with the programs, readable by the user that runs them. */
  native: string;
  /** Command prefix before the program. */
  prefix: string[];
  /** User and group to run as, when user namespaces are unavailable. */
  owner?: { uid: number; gid: number };
};

const NOBODY = 65534;
const UNSHARE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'] as const;
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Chooses how PostgreSQL runs. As an ordinary user: unchanged. As root: in a user namespace, where files stay owned by
 * root and a private home is accessible; where that is forbidden (many containers), as another user from a readable
 * copy.
 */
export function chooseSandbox(native: string, options: { userNamespace?: boolean } = {}): Sandbox {
  if (process.getuid?.() !== 0) return { native, prefix: [] };
  if (options.userNamespace !== false && canUnshare()) return { native, prefix: [...UNSHARE] };
  return { native: readableCopy(native), prefix: [], owner: { uid: NOBODY, gid: NOBODY } };
}

function canUnshare(): boolean {
  const [command, ...words] = UNSHARE;
  return spawnSync(command, [...words, 'true'], { env: ENVIRONMENT, stdio: 'ignore' }).status === 0;
}

function readableCopy(native: string): string {
  const key = createHash('sha256').update(native).digest('hex').slice(0, 16);
  const copy = `/var/tmp/krapao-postgres-${key}`;
  if (existsSync(join(copy, 'bin/postgres'))) return copy;
  const unfinished = `${copy}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o755 });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(join(copy, 'bin/postgres'))) throw error;
  }
  return copy;
}

/** Gives a folder and all in it to the user that PostgreSQL runs as; nothing to do without one. */
export function changeOwner(path: string, sandbox: Sandbox): void {
  if (!sandbox.owner) return;
  chownSync(path, sandbox.owner.uid, sandbox.owner.gid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    chownSync(join(entry.parentPath, entry.name), sandbox.owner.uid, sandbox.owner.gid);
  }
}

/** Throws with a solution when the sandbox user can't reach the folder, for example in a private home. */
export function assertReachable(path: string, sandbox: Sandbox): void {
  if (!sandbox.owner) return;
  const parent = dirname(path);
  const probe = spawnSync('test', ['-x', parent], { env: ENVIRONMENT, uid: NOBODY, gid: NOBODY, stdio: 'ignore' });
  if (probe.status !== 0) {
    throw new UserError(
      `The database can't reach ${parent}: started as root it runs as the user \`nobody\`. Set DATA_DIR to a folder outside /root, for example /var/lib/krapao.`,
    );
  }
}
