import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Operator commands start under Debian's Node 18, which has no `import.meta.dirname`.
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const LOCK_PATH = join(ROOT, 'package-lock.json');
const INSTALLED_LOCK_PATH = join(ROOT, 'node_modules/.package-lock.json');

/** Package with the project's own Node. */
const OWN_NODE = `node-${process.platform}-${process.arch}`;
/** npm skips optional packages, such as native binaries, that need a newer Node than its own. */
const LEAST_NODE_OF_NPM = 22;

/** Runs npm ci when the installed packages differ from the lock file. */
export function ensureInstalled(print = console.log) {
  if (isInstalled()) return;
  print('Installing packages (npm ci) …');
  const [command, ...args] = commandOfNpm();
  // Hides warnings about the Node that npm runs under: the project uses its own.
  const { status, error } = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0 && isInstalled()) return;
  throw new UserError(
    error
      ? `npm can't be run (${error.message}): install Node.js 20 or later with npm.`
      : 'The packages could not be installed: see what npm said above. Is the package registry within reach?',
  );
}

function commandOfNpm() {
  const path = process.env.npm_execpath;
  const npm = path?.endsWith('.js') ? [process.execPath, path] : ['npm'];
  const isOld = Number(process.versions.node.split('.')[0]) < LEAST_NODE_OF_NPM;
  const version = packagesOf(LOCK_PATH)[`node_modules/${OWN_NODE}`]?.version;
  if (!isOld || version === undefined) return npm;
  return [...npm, 'exec', '--yes', `--package=${OWN_NODE}@${version}`, '--', 'npm'];
}

/** An error that the user can fix, shown without a stack. */
export class UserError extends Error {}

/** Path of the project's own Node, or of the running Node if that is as new. */
export function projectNode() {
  // Debian's npm 9 creates no link in .bin.
  for (const folder of ['.bin', `${OWN_NODE}/bin`]) {
    const ownNode = join(ROOT, 'node_modules', folder, 'node');
    if (existsSync(ownNode)) return ownNode;
  }
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new UserError(
    `There is no Node 24 for ${process.platform} on ${process.arch} among the packages: install one and start with it.`,
  );
}

// npm writes its own lock file last: an interrupted installation has none.
function isInstalled() {
  if (!existsSync(INSTALLED_LOCK_PATH)) return false;
  const lockedPackages = packagesOf(LOCK_PATH);
  const installedPackages = packagesOf(INSTALLED_LOCK_PATH);
  for (const [path, entry] of Object.entries(lockedPackages)) {
    // Includes packages of one workspace, such as server/node_modules/x.
    if (!path.includes('node_modules/')) continue;
    const installed = installedPackages[path];
    if (installed ? installed.version !== entry.version : isNeeded(entry)) return false;
  }
  return Object.keys(installedPackages).every((path) => path in lockedPackages);
}

// Whether an optional package is needed on this platform.
function isNeeded({ link, optional, devOptional, os, cpu, libc }) {
  if (link) return false;
  if (!optional && !devOptional) return true;
  const isListed = (list, value) => list !== undefined && [list].flat().includes(value);
  return (
    isListed(os, process.platform) && isListed(cpu, process.arch) && (libc === undefined || isListed(libc, 'glibc'))
  );
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}
