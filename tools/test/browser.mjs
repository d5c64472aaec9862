import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Sentence } from '../install.mjs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Makes sure that there is a Chromium to test with; installs the one of the distribution where that is possible. */
export function ensureBrowser() {
  if (find()) return;
  console.log('Installing a browser to test with (apt-get install chromium) …');
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  for (const words of [
    ['apt-get', 'update'],
    ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'],
  ]) {
    const [command, ...rest] = [...sudo, ...words];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    if (spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], env }).status !== 0) break;
  }
  if (find()) return;
  throw new Sentence('There is no Chromium and none could be installed: install one, or set CHROMIUM_PATH to it.');
}

function find() {
  return [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path && existsSync(path));
}
