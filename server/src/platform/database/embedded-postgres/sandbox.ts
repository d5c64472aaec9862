import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../errors.ts';

/** How the programs of PostgreSQL run: it refuses to run as root. */
export type Sandbox = {
  /** Folder `native` with the programs, readable by the user that runs PostgreSQL. */
  native: string;
  /** Command prefix before the program. */
  prefix: string[];
  /** User and group to run as, when user namespaces are unavailable. */
  owner?: { uid: number; gid: number };
};

const NOBODY_ID = 65534;
const UNSHARE_COMMAND = ['unshare', '--user', `--map-user=${NOBODY_ID}`, `--map-group=${NOBODY_ID}`, '--'] as const;
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Chooses how PostgreSQL runs. As an ordinary user: unchanged. As root: in a user namespace, where files stay owned by
 * root and a private home is accessible. Where namespaces are forbidden (many containers): as another user, from a
 * readable copy.
 */
export function chooseSandbox(native: string, options: { userNamespace?: boolean } = {}): Sandbox {
  if (process.getuid?.() !== 0) return { native, prefix: [] };
  if (options.userNamespace !== false && canUnshare()) return { native, prefix: [...UNSHARE_COMMAND] };
  return { native: readableCopy(native), prefix: [], owner: { uid: NOBODY_ID, gid: NOBODY_ID } };
}

function canUnshare(): boolean {
  const [command, ...args] = UNSHARE_COMMAND;
  return spawnSync(command, [...args, 'true'], { env: ENVIRONMENT, stdio: 'ignore' }).status === 0;
}

function readableCopy(native: string): string {
  const pathHash = createHash('sha256').update(native).digest('hex').slice(0, 16);
  const copyDirectory = `/var/tmp/krapao-postgres-${pathHash}`;
  if (existsSync(join(copyDirectory, 'bin/postgres'))) return copyDirectory;
  const unfinishedDirectory = `${copyDirectory}.${process.pid}`;
  rmSync(unfinishedDirectory, { recursive: true, force: true });
  mkdirSync(unfinishedDirectory, { recursive: true, mode: 0o755 });
  cpSync(native, unfinishedDirectory, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinishedDirectory, copyDirectory);
  } catch (error) {
    rmSync(unfinishedDirectory, { recursive: true, force: true });
    if (!existsSync(join(copyDirectory, 'bin/postgres'))) throw error;
  }
  return copyDirectory;
}

/** Gives a folder and its content to the user of the sandbox. Does nothing without one. */
export function changeOwner(path: string, sandbox: Sandbox): void {
  if (!sandbox.owner) return;
  chownSync(path, sandbox.owner.uid, sandbox.owner.gid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    chownSync(join(entry.parentPath, entry.name), sandbox.owner.uid, sandbox.owner.gid);
  }
}

/** Throws when the sandbox user can't reach the folder, for example in a private home. The message names the remedy. */
export function assertReachable(path: string, sandbox: Sandbox): void {
  if (!sandbox.owner) return;
  const parent = dirname(path);
  const result = spawnSync('test', ['-x', parent], {
    env: ENVIRONMENT,
    uid: NOBODY_ID,
    gid: NOBODY_ID,
    stdio: 'ignore',
  });
  if (result.status !== 0) {
    throw new UserError(
      `The database can't reach ${parent}: started as root it runs as the user \`nobody\`. Set DATA_DIR to a folder outside /root, for example /var/lib/krapao.`,
    );
  }
}
