/** User agents of in-app browsers, which neither open tabs nor download. Other apps on Android report `wv`. */
const IN_APP_BROWSERS =
  /\b(?:Line\/|FBAN|FBAV|FB_IAB|Instagram|MicroMessenger|musical_ly|BytedanceWebview|Twitter)|; wv\)/;

export const isInAppBrowser = (): boolean => IN_APP_BROWSERS.test(navigator.userAgent);

const isStandaloneIos = (): boolean => (navigator as { standalone?: boolean }).standalone === true;

/** Whether the page is the installed app. */
export const isInstalledApp = (): boolean => matchMedia('(display-mode: standalone)').matches || isStandaloneIos();

/** An iPad reports a Mac, which has no touch screen. */
export const isIos = (): boolean =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1);

/** Whether the browser can open tabs; false in in-app browsers and installed iPhone web apps. */
export const hasTabs = (): boolean => !isInAppBrowser() && !isStandaloneIos();

/**
 * Opens an empty tab. Must run synchronously in a press handler: popup blockers stop a tab that opens after a reply.
 * The tab has no access to this page.
 * @param waitingText text in the tab until the tab navigates
 * @returns undefined if there are no tabs, the browser blocked the tab, or its document can't be written
 */
export function openTab(waitingText: string): Window | undefined {
  const tab = hasTabs() ? window.open('', '_blank') : null;
  if (!tab) return undefined;
  try {
    tab.opener = null;
    writeWaitingText(tab.document, waitingText);
  } catch {
    tab.close();
    return undefined;
  }
  return tab;
}

/** Writes the waiting text into the tab, in the colours of this page. */
function writeWaitingText(page: Document, waitingText: string): void {
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.documentElement);
  page.title = waitingText;
  page.documentElement.lang = document.documentElement.lang;
  const paragraph = page.createElement('p');
  paragraph.textContent = waitingText;
  Object.assign(paragraph.style, { fontSize: '1.25rem', textAlign: 'center' });
  Object.assign(page.body.style, {
    background: backgroundColor,
    color,
    fontFamily,
    minHeight: '100vh',
    margin: '0',
    display: 'grid',
    placeItems: 'center',
  });
  page.body.append(paragraph);
}
