import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectNode, ROOT, Sentence } from './install.mjs';

const SOURCES = ['web', 'phrases', 'contract', 'package-lock.json'];
const SKIPPED = new Set(['node_modules', 'dist', 'test', '.cache']);
const DIST = join(ROOT, 'web/dist');
const STAMP = join(DIST, '.sources');

/** Builds the web app if there is no build or its sources have changed. */
export function ensureWebBuilt(say = console.log) {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint()) return;
  say('Building the web app …');
  const { status, output } = buildWeb();
  if (status !== 0) throw new Sentence(`The web app could not be built:\n${output}`);
}

/** Builds the web app for both variants. Returns exit code and output. */
export function buildWeb() {
  // Before the build: a change during it causes the next one.
  const sources = fingerprint();
  const { status, stdout, stderr } = spawnSync(projectNode(), ['build/build.ts'], {
    cwd: join(ROOT, 'web'),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
  });
  if (status === 0) {
    mkdirSync(DIST, { recursive: true });
    writeFileSync(STAMP, sources);
  }
  return { status, output: `${stdout}${stderr}` };
}

/** Hash of the names and contents of all sources. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const source of SOURCES) addTo(hash, join(ROOT, source));
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
    if (!SKIPPED.has(entry.name)) addTo(hash, join(path, entry.name));
  }
}
