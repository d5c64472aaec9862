/** User agents of in-app browsers, which have a single page and no tabs. */
const INSIDE_APPS = /\b(?:Line\/|FBAN|FBAV|FB_IAB|Instagram|MicroMessenger|musical_ly|BytedanceWebview|Twitter)/;

/** Whether a page can open and navigate a tab: false in in-app browsers and installed iPhone web apps. */
export const hasTabs = (): boolean =>
  !INSIDE_APPS.test(navigator.userAgent) && (navigator as { standalone?: boolean }).standalone !== true;

/**
 * Opens an empty tab synchronously in a press handler: popup blockers stop a tab that opens after a reply. The tab has
 * no access to this page.
 * @param words text of the tab until it navigates
 * @returns undefined without tabs, if the browser blocked it, or if its document can't be written
 */
export function openTab(words: string): Window | undefined {
  const tab = hasTabs() ? window.open('', '_blank') : null;
  if (!tab) return undefined;
  try {
    tab.opener = null;
    fill(tab.document, words);
  } catch {
    tab.close();
    return undefined;
  }
  return tab;
}

/** Colours come from the page's tokens. */
function fill(page: Document, words: string): void {
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.documentElement);
  page.title = words;
  page.documentElement.lang = document.documentElement.lang;
  const text = page.createElement('p');
  text.textContent = words;
  Object.assign(text.style, { fontSize: '1.25rem', textAlign: 'center' });
  Object.assign(page.body.style, {
    background: backgroundColor,
    color,
    fontFamily,
    minHeight: '100vh',
    margin: '0',
    display: 'grid',
    placeItems: 'center',
  });
  page.body.append(text);
}
