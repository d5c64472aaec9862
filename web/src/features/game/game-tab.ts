/** A tab that was opened by the press of a button and waits for the game's address. */
export type GameTab = {
  /** Sends the tab to the game. */
  go: (link: string) => void;
  close: () => void;
};

/** A link that may be opened: http or https, nothing that runs here. */
export function isGameLink(link: string): boolean {
  if (!URL.canParse(link, location.href)) return false;
  return ['http:', 'https:'].includes(new URL(link, location.href).protocol);
}

/**
 * Opens an empty tab at once, while the browser still counts the press as the person's own wish: a pop-up blocker stops
 * one that is opened only after an answer has come. The tab can't reach back to this page.
 * @param words what the tab says until the game is there
 * @returns undefined when the browser held it back
 */
export function openGameTab(words: string): GameTab | undefined {
  const tab = window.open('', '_blank');
  if (!tab) return undefined;
  tab.opener = null;
  fill(tab.document, words);
  return {
    go: (link) => tab.location.replace(link),
    close: () => tab.close(),
  };
}

/** Colours of the ground and of words, read from the page so that the tokens stay in one place. */
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
