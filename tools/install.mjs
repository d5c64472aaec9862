import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
const LOCK = join(ROOT, 'package-lock.json');
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json');

/** Installs what the lock file names, when what is there differs from it. */
export function ensureInstalled(say = console.log) {
  if (isInstalled()) return;
  say('Installing packages (npm ci) …');
  const npm = process.env.npm_execpath;
  const [command, words] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  // Without its warnings: they are about the Node that npm runs under, and the project brings its own.
  const { status, error } = spawnSync(command, [...words, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0 && isInstalled()) return;
  throw new Sentence(
    error
      ? `npm can't be run (${error.message}): install Node.js 20 or later with npm.`
      : 'The packages could not be installed: see what npm said above. Is the package registry within reach?',
  );
}

/** Something that a person can do something about: shown without a stack. */
export class Sentence extends Error {}

/** The Node that this project brings along, or this one when it is as new. */
export function projectNode() {
  const own = join(ROOT, 'node_modules/.bin/node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Sentence(
    `There is no Node 24 for ${process.platform} on ${process.arch} among the packages: install one and start with it.`,
  );
}

// npm writes a lock file of its own as the last thing it does: an installation that broke off has none.
function isInstalled() {
  if (!existsSync(INSTALLED)) return false;
  const wanted = packagesOf(LOCK);
  const found = packagesOf(INSTALLED);
  for (const [path, { version, link, optional, devOptional }] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/')) continue;
    const there = found[path];
    // Optional ones are for other machines, or they are there in the right version.
    if (there ? there.version !== version : !(link || optional || devOptional)) return false;
  }
  return Object.keys(found).every((path) => path in wanted);
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}
