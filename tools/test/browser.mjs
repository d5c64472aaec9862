import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Sentence } from '../install.mjs';

/** Chromium without windows. A journey costs a third less in it, because each test opens a window. */
const SHELLS = ['/usr/bin/chromium-headless-shell'];
const WITH_WINDOWS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// A package mirror that does not answer must not hold up the tests; another installation may hold the lock.
const APT = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10', '-o', 'DPkg::Lock::Timeout=60'];

/**
 * Ensures that there is a Chromium to test with, if possible the one without windows; installs it with apt where that is possible.
 * @throws Sentence without any Chromium
 */
export function ensureBrowser() {
  if (find(SHELLS)) return;
  const other = find(WITH_WINDOWS);
  // What apt says of a browser that can be done without is of no use.
  if (install('chromium-headless-shell', other ? 'ignore' : 'inherit') && find(SHELLS)) return;
  if (other || (install('chromium', 'inherit') && find(WITH_WINDOWS))) return;
  throw new Sentence('There is no Chromium and none could be installed: install one, or set CHROMIUM_PATH to it.');
}

function find(places) {
  return [process.env.CHROMIUM_PATH, ...places].find((path) => path && existsSync(path));
}

/** Whether apt has installed the package. */
function install(name, errors) {
  console.log(`Installing a browser to test with (apt-get install ${name}) …`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return [['update'], ['install', '-y', '--no-install-recommends', '--no-remove', name]].every((words) => {
    const [command, ...rest] = [...sudo, 'apt-get', ...APT, ...words];
    return spawnSync(command, rest, { stdio: ['ignore', 'ignore', errors], env }).status === 0;
  });
}
