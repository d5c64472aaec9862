import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Sentence } from '../install.mjs';

// The same paths as in e2e/support/browser.ts.
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** Programs that the journey in other engines needs, and the packages of Debian that bring them. */
const ENGINES = {
  '/usr/bin/firefox-esr': 'firefox-esr',
  '/usr/bin/WebKitWebDriver': 'webkit2gtk-driver',
  '/usr/bin/Xvfb': 'xvfb',
};

/**
 * Makes sure that fast journeys have their browser: Debian's Chromium without windows, which starts and draws faster. Where there is
 * no such package, or CHROMIUM_PATH names a browser, they run in the browser of the slow ones.
 */
export function ensureHeadlessShell() {
  if (process.env.CHROMIUM_PATH || existsSync(HEADLESS_SHELL)) return;
  console.log('Installing a browser to test with (apt-get install chromium-headless-shell) …');
  install(['chromium-headless-shell']);
  if (!existsSync(HEADLESS_SHELL)) ensureBrowser();
}

/** Makes sure that there is a Chromium for slow journeys; installs the one of the distribution where that is possible. */
export function ensureBrowser() {
  if (findChromium()) return;
  console.log('Installing a browser to test with (apt-get install chromium) …');
  install(['chromium']);
  if (findChromium()) return;
  throw new Sentence('There is no Chromium and none could be installed: install one, or set CHROMIUM_PATH to it.');
}

/** Makes sure that there are Firefox and WebKitGTK with its driver and a display; installs what is missing, as above. */
export function ensureEngines() {
  const missing = () => Object.keys(ENGINES).filter((path) => !existsSync(path));
  if (missing().length === 0) return;
  const packages = missing().map((path) => ENGINES[path]);
  console.log(`Installing browsers to test with (apt-get install ${packages.join(' ')}) …`);
  install(packages);
  if (missing().length === 0) return;
  throw new Sentence(`${missing().join(', ')} could not be installed: apt-get install ${packages.join(' ')}`);
}

function install(packages) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  for (const words of [
    ['apt-get', 'update'],
    ['apt-get', 'install', '-y', '--no-install-recommends', ...packages],
  ]) {
    const [command, ...rest] = [...sudo, ...words];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    if (spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], env }).status !== 0) break;
  }
}

function findChromium() {
  return [process.env.CHROMIUM_PATH, ...CHROMIUM].find((path) => path && existsSync(path));
}
