import { existsSync } from 'node:fs';

/**
 * Each window would load the pop-ups of an invisible address bar, and each test a process in reserve: a third of all
 * that a browser did in a journey.
 */
const UNSEEN = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess'];

/** What Playwright turns off by the same flag, of which Chromium takes only the last. */
const AS_PLAYWRIGHT = [
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

/** Debian's Chromium, headless, and quiet about a network that it can't reach. */
export const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...AS_PLAYWRIGHT, ...UNSEEN].join(',')}`,
];

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

const firstOf = (paths: readonly (string | undefined)[]): string =>
  paths.find((path) => path && existsSync(path)) ?? '/usr/bin/chromium';

/** The browser of slow journeys, which a test run installs: Debian's chromium, or the one of CHROMIUM_PATH. */
export const chromiumPath = (): string => firstOf([process.env.CHROMIUM_PATH, ...CHROMIUM]);

/** The browser of fast journeys: Chromium without windows where it is installed, else that of the slow ones. */
export const headlessShellPath = (): string => firstOf([process.env.CHROMIUM_PATH, HEADLESS_SHELL, ...CHROMIUM]);
