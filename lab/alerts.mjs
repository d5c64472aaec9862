// `npm run lab -- alerts`: checks the alert rules of deploy/prometheus and runs their tests with promtool, installed or from Debian's
// package, which is unpacked but not installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/install.mjs';

const FOLDER = join(ROOT, 'deploy/prometheus');
const CACHE = join(ROOT, 'node_modules/.cache/promtool');
const UNPACKED = join(CACHE, 'usr/bin/promtool');

const promtool = find() ?? fetchPackage();
if (promtool === undefined) {
  console.error('promtool is missing and its package could not be downloaded: run apt-get install prometheus.');
  process.exit(1);
}
for (const args of [
  ['check', 'rules', 'rules.yml'],
  ['test', 'rules', 'tests.yml'],
]) {
  const { status } = spawnSync(promtool, args, { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function find() {
  const isInstalled = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
  return isInstalled ? 'promtool' : [UNPACKED].find((path) => existsSync(path));
}

function fetchPackage() {
  console.log('Fetching promtool (apt-get download prometheus) …');
  mkdirSync(CACHE, { recursive: true });
  spawnSync('apt-get', ['download', 'prometheus'], { cwd: CACHE, stdio: ['ignore', 'ignore', 'inherit'] });
  const found = readdirSync(CACHE).find((name) => name.endsWith('.deb'));
  if (found) spawnSync('dpkg', ['-x', found, '.'], { cwd: CACHE, stdio: 'inherit' });
  return find();
}
