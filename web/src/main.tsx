import './styles/app.css';
import type { Word } from '@krapao/phrases/catalogue';
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { couldNotStart } from './start/could-not-start.ts';
import { noteSession } from './api/session.ts';
import { fontsReady } from './fonts-ready.ts';
import { addWords, onMissing } from './i18n/i18n.ts';
import { firstLanguage, speak } from './i18n/language.ts';
import { loadWords } from './i18n/load-words.ts';
import { readPrerendered } from './start/prerendered.ts';
import { routeTable } from './routes.tsx';
import { keepTyped } from './start/keep-typed.ts';
import { failedToLoad } from './routing/failed-to-load.ts';
import { hasScreen, landing, startScreens } from './routing/screen.ts';
import { handleFailures } from './shared/account/handle-failures.ts';
import { startServiceWorker } from './start/start-service-worker.ts';
import { styleSheet } from './start/style-sheet.ts';
import { followTextSize } from './start/text-size.ts';
// From the first moment on: an entry that a dialog left before a reload is passed over, though no dialog is loaded yet.
import './ui/overlay/back-stack.ts';

declare global {
  var isUnsupportedBrowser: true | undefined;
}

/** Error boundaries log the errors that they catch. */
const options = { onCaughtError: () => undefined };

/** Resolves in the next task, without the wait that timers have at least. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });

/**
 * Comes to life: takes over the prerendered page when it is the one asked for, in the language that this browser
 * speaks; else renders from nothing. Both load the screen before React sees it.
 */
async function start(root: HTMLElement): Promise<void> {
  // The member sees a gap and goes on; the console tells which it is.
  onMissing(reportError);
  followTextSize();
  handleFailures();
  noteSession();
  const page = readPrerendered();
  const language = firstLanguage();
  const styles = styleSheet(page?.styles);
  const table = { ...routeTable, styles };
  const { route, address } = landing(table);
  const isOurs = page?.path === route.path && page.language === language;
  // The scripts were evaluated in this task: what the whole style sheet costs comes in another.
  if (isOurs) await nextTask();
  // Fetched beside everything else. What a member's page shows next is more than it has styles for.
  if (!isOurs) void fontsReady(language);
  const whole = isOurs && route.shell === 'member' ? styles() : undefined;
  const words = isOurs ? (Object.entries(page.words) as [Word, object][]) : [];
  for (const [word, texts] of words) addWords(language, word, texts);
  await loadWords(['common', ...words.map(([word]) => word)], language);
  await speak(language);
  if (!isOurs) {
    await styles();
    await fontsReady(language);
  }
  let isBroken = false;
  const onBroken = (failure: unknown): void => {
    if (hasScreen()) return failedToLoad(failure);
    isBroken = true;
    void couldNotStart(root, failure);
  };
  // The page was sent for what the address leads to.
  if (isOurs && address !== location.pathname + location.search + location.hash)
    history.replaceState(history.state, '', address);
  await startScreens(table, onBroken, isOurs ? route : undefined);
  await whole;
  if (isBroken) return;
  if (isOurs) {
    const restore = keepTyped(root);
    const onMounted = (): void => {
      root.inert = false;
      restore();
    };
    // In slices, so that a slow phone answers to a finger meanwhile.
    startTransition(() => void hydrateRoot(root, <App onMounted={onMounted} />, options));
  } else {
    root.inert = false;
    delete document.documentElement.dataset.wait;
    root.replaceChildren();
    createRoot(root, options).render(<App />);
  }
  void styles();
  void loadWords(['parts']).catch(() => undefined);
  startServiceWorker();
}

// Unsupported browsers show a notice instead (`build/old-browser`).
if (!globalThis.isUnsupportedBrowser) {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root');
  await start(root).catch((failure: unknown) => couldNotStart(root, failure));
}
