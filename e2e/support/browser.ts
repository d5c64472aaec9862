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

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser to test with; the test run installs one when there is none. */
export function chromiumPath(): string {
  const found = [process.env.CHROMIUM_PATH, ...places].find((path) => path && existsSync(path));
  if (!found) throw new Error('No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.');
  return found;
}
