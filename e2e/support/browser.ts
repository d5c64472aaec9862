import { existsSync } from 'node:fs';

/** Debian's Chromium, headless, and quiet about a network that it can't reach. */
export const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser to test with; the test run installs one when there is none. */
export function chromiumPath(): string {
  const found = [process.env.CHROMIUM_PATH, ...places].find((path) => path && existsSync(path));
  if (!found) throw new Error('No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.');
  return found;
}
