// `npm run lab -- alerts`: checks the alert rules of deploy/prometheus and runs their tests with promtool, installed or from Debian's
// package, which is unpacked but not installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/install.mjs';

const RULES_FOLDER = join(ROOT, 'deploy/prometheus');
const CACHE_FOLDER = join(ROOT, 'node_modules/.cache/promtool');
const UNPACKED_PROMTOOL = join(CACHE_FOLDER, 'usr/bin/promtool');

const promtool = findPromtool() ?? fetchPackage();
if (promtool === undefined) {
  console.error('promtool is missing and its package could not be downloaded: run apt-get install prometheus.');
  process.exit(1);
}
for (const args of [
  ['check', 'rules', 'rules.yml'],
  ['test', 'rules', 'tests.yml'],
]) {
  const { status } = spawnSync(promtool, args, { cwd: RULES_FOLDER, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function findPromtool() {
  const isInstalled = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
  return isInstalled ? 'promtool' : [UNPACKED_PROMTOOL].find((path) => existsSync(path));
}

function fetchPackage() {
  console.log('Fetching promtool (apt-get download prometheus) …');
  mkdirSync(CACHE_FOLDER, { recursive: true });
  spawnSync('apt-get', ['download', 'prometheus'], { cwd: CACHE_FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  const packageFile = readdirSync(CACHE_FOLDER).find((name) => name.endsWith('.deb'));
  if (packageFile) spawnSync('dpkg', ['-x', packageFile, '.'], { cwd: CACHE_FOLDER, stdio: 'inherit' });
  return findPromtool();
}
