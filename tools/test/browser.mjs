import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { UserError } from '../install.mjs';

// The same paths as in e2e/support/browser.ts.
const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** Debian packages of the programs that journeys in other engines need, by path. */
const PACKAGE_OF_ENGINE = {
  '/usr/bin/firefox-esr': 'firefox-esr',
  '/usr/bin/WebKitWebDriver': 'webkit2gtk-driver',
  '/usr/bin/Xvfb': 'xvfb',
};

/**
 * Installs the browser of the journeys: Debian's headless Chromium, which starts and draws faster. Without the package,
 * or with CHROMIUM_PATH, they use the complete browser.
 */
export function ensureHeadlessShell() {
  if (process.env.CHROMIUM_PATH || existsSync(HEADLESS_SHELL)) return;
  console.log('Installing a browser to test with (apt-get install chromium-headless-shell) …');
  install(['chromium-headless-shell']);
  if (!existsSync(HEADLESS_SHELL)) ensureBrowser();
}

const PDF_READER = '/usr/bin/pdftotext';

/** Ensures a complete Chromium for some slow journeys; installs the distribution's where possible. */
export function ensureBrowser() {
  if (findChromium()) return;
  console.log('Installing a browser to test with (apt-get install chromium) …');
  install(['chromium']);
  if (findChromium()) return;
  throw new UserError('There is no Chromium and none could be installed: install one, or set CHROMIUM_PATH to it.');
}

/** Ensures Firefox and WebKitGTK with its driver and a display; installs missing ones. */
export function ensureEngines() {
  const missingEngines = () => Object.keys(PACKAGE_OF_ENGINE).filter((path) => !existsSync(path));
  if (missingEngines().length === 0) return;
  const packages = missingEngines().map((path) => PACKAGE_OF_ENGINE[path]);
  console.log(`Installing browsers to test with (apt-get install ${packages.join(' ')}) …`);
  install(packages);
  if (missingEngines().length === 0) return;
  throw new UserError(`${missingEngines().join(', ')} could not be installed: apt-get install ${packages.join(' ')}`);
}

/** Ensures a program that reads the text of a PDF. */
export function ensurePdfReader() {
  if (existsSync(PDF_READER)) return;
  console.log('Installing a reader of PDF files to test with (apt-get install poppler-utils) …');
  install(['poppler-utils']);
  if (!existsSync(PDF_READER))
    throw new UserError(`${PDF_READER} could not be installed: apt-get install poppler-utils`);
}

function install(packages) {
  const sudoPrefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  for (const aptCommand of [
    ['apt-get', 'update'],
    ['apt-get', 'install', '-y', '--no-install-recommends', ...packages],
  ]) {
    const [command, ...args] = [...sudoPrefix, ...aptCommand];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    if (spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status !== 0) break;
  }
}

function findChromium() {
  return [process.env.CHROMIUM_PATH, ...CHROMIUM_PATHS].find((path) => path && existsSync(path));
}
