import type { Namespace } from '@krapao/phrases/catalogue';
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { showStartupError, startServiceWorker, styleSheet, watchTextSize } from './shell/boot.ts';
import { syncSessionCookie } from './api/session.ts';
import { fontsReady } from './shell/fonts-ready.ts';
import { addNamespace, onMissing, loadNamespaces } from './i18n/i18n.ts';
import { firstLanguage, applyLanguage } from './i18n/language.ts';
import { readPrerendered } from './shell/prerendered.ts';
import { routeTable } from './routes.tsx';
import { restoreInputs } from './shell/restore-inputs.ts';
import { handleChunkError } from './routing/navigation.ts';
import { hasScreen, resolveLanding, startScreens } from './routing/router.ts';
import { handleFailures } from './shell/session-failures.ts';
import './styles/app.css';
import './ui/core/overlay-stack.ts';

declare global {
  var isUnsupportedBrowser: true | undefined;
}

/** Error boundaries log the errors that they catch. */
const options = { onCaughtError: () => undefined };

/** Resolves in the next task, without the minimum delay of timers. */
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
 * Starts the app: hydrates the prerendered page if it matches the URL and language, else renders from scratch. Both
 * load the screen first.
 */
async function start(root: HTMLElement): Promise<void> {
  // The member sees a gap; the console reports the missing text.
  onMissing(reportError);
  watchTextSize();
  handleFailures();
  syncSessionCookie();
  const page = readPrerendered();
  const language = firstLanguage();
  const styles = styleSheet(page?.styles);
  const table = { ...routeTable, styles };
  const { route, address } = resolveLanding(table);
  const isOurs = page?.path === route.path && page.language === language;
  // Separates the evaluation of the scripts from applying the style sheet.
  if (isOurs) await nextTask();
  // Fetched in parallel. A member's page next shows more than its inline styles cover.
  if (!isOurs) void fontsReady(language);
  const whole = isOurs && route.shell === 'member' ? styles() : undefined;
  const words = isOurs ? (Object.entries(page.words) as [Namespace, object][]) : [];
  for (const [word, texts] of words) addNamespace(language, word, texts);
  await loadNamespaces(['common', ...words.map(([word]) => word)], language);
  await applyLanguage(language);
  if (!isOurs) {
    await styles();
    await fontsReady(language);
  }
  let isBroken = false;
  const onBroken = (failure: unknown): void => {
    if (hasScreen()) return handleChunkError(failure);
    isBroken = true;
    void showStartupError(root, failure);
  };
  // The page was served for the resolved target of the URL.
  if (isOurs && address !== location.pathname + location.search + location.hash)
    history.replaceState(history.state, '', address);
  await startScreens(table, onBroken, isOurs ? route : undefined);
  await whole;
  if (isBroken) return;
  if (isOurs) {
    const restore = restoreInputs(root);
    const onMounted = (): void => {
      root.inert = false;
      restore();
    };
    // Concurrent, so that a slow phone responds to input.
    startTransition(() => void hydrateRoot(root, <App onMounted={onMounted} />, options));
  } else {
    root.inert = false;
    delete document.documentElement.dataset.wait;
    root.replaceChildren();
    createRoot(root, options).render(<App />);
  }
  void styles();
  void loadNamespaces(['parts']).catch(() => undefined);
  startServiceWorker();
}

// Unsupported browsers show a notice instead (`build/old-browser`).
if (!globalThis.isUnsupportedBrowser) {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root');
  await start(root).catch((failure: unknown) => showStartupError(root, failure));
}
