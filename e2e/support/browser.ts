import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Features of invisible browser windows and spare processes, which took a third of the browser's time in a journey. */
const DISABLED_BROWSER_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
];

/** Features that Playwright disables with the same flag. Chromium uses only the last such flag. */
const PLAYWRIGHT_FLAGS = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Flags for Debian's Chromium: headless, and without warnings about an unreachable network. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...PLAYWRIGHT_FLAGS, ...DISABLED_BROWSER_FEATURES].join(',')}`,
];

const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

const firstExistingPath = (candidatePaths: readonly (string | undefined)[]): string =>
  candidatePaths.find((path) => path && existsSync(path)) ?? '/usr/bin/chromium';

/** The complete browser, for what the headless shell lacks: Debian's Chromium, or CHROMIUM_PATH. */
export const chromiumPath = (): string => firstExistingPath([process.env.CHROMIUM_PATH, ...CHROMIUM_PATHS]);

/** Browser of the journeys: the headless shell if installed, with a quarter less processor time; else the complete one. */
export const headlessShellPath = (): string =>
  firstExistingPath([process.env.CHROMIUM_PATH, HEADLESS_SHELL, ...CHROMIUM_PATHS]);

const FONTS_SCRIPT = new URL('../../web/build/fonts.ts', import.meta.url).pathname;

/**
 * Writes system fonts for Thai and Lao, which phones have. Without them Chromium shows wide boxes until the app's font
 * loads, and measures their shift.
 * @returns the fontconfig file that adds them, for the environment variable FONTCONFIG_FILE
 */
export function writeSystemFonts(folder: string): string {
  const { status, stderr } = spawnSync(process.execPath, [FONTS_SCRIPT, '--system', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The system fonts were not written: ${stderr}`);
  const config = join(folder, 'fonts.conf');
  const systemInclude = '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>';
  const names = ['Thai', 'Lao'].map((script) => `<string>Noto Sans ${script}</string>`).join('');
  const preference = `<match><edit name="family" mode="prepend_first" binding="strong">${names}</edit></match>`;
  const ownFolder = `<dir>${folder}</dir><cachedir>${join(folder, 'cache')}</cachedir>`;
  writeFileSync(config, `<fontconfig>${systemInclude}${ownFolder}${preference}</fontconfig>\n`);
  return config;
}
