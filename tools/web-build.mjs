import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectNode, ROOT, UserError } from './install.mjs';

const SOURCE_PATHS = ['web', 'phrases', 'contract', 'package-lock.json'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'test', '.cache']);
const DIST_FOLDER = join(ROOT, 'web/dist');
const STAMP_PATH = join(DIST_FOLDER, '.sources');

/** Builds the web app if there is no build or its sources have changed. */
export function ensureWebBuilt(print = console.log) {
  if (existsSync(STAMP_PATH) && readFileSync(STAMP_PATH, 'utf8') === fingerprint()) return;
  print('Building the web app …');
  const { status, output } = buildWeb();
  if (status !== 0) throw new UserError(`The web app could not be built:\n${output}`);
}

/** Builds the web app for both variants. Returns exit code and output. */
export function buildWeb() {
  // Hashed before the build, so that a change during the build causes the next one.
  const sourcesHash = fingerprint();
  const { status, stdout, stderr } = spawnSync(projectNode(), ['build/build.ts'], {
    cwd: join(ROOT, 'web'),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
  });
  if (status === 0) {
    mkdirSync(DIST_FOLDER, { recursive: true });
    writeFileSync(STAMP_PATH, sourcesHash);
  }
  return { status, output: `${stdout}${stderr}` };
}

/** Hash of the names and contents of all sources. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const source of SOURCE_PATHS) addTo(hash, join(ROOT, source));
  return hash.digest('hex');
}

function addTo(hash, path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    hash.update(relative(ROOT, path)).update(readFileSync(path));
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!SKIPPED_FOLDERS.has(entry.name)) addTo(hash, join(path, entry.name));
  }
}
