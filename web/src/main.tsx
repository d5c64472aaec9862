import type { Namespace } from '@krapao/phrases/catalogue';
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { syncSessionCookie } from './api/session.ts';
import { App } from './app.tsx';
import { fontsReady } from './browser/fonts-ready.ts';
import { keepInstallPrompt } from './browser/install-prompt.ts';
import { readPrerendered } from './browser/prerendered.ts';
import { restoreInputs } from './browser/restore-inputs.ts';
import { startTheme } from './browser/theme.ts';
import { addNamespace, onMissing, loadNamespaces } from './i18n/i18n.ts';
import { firstLanguage, applyLanguage } from './i18n/language.ts';
import { routeTable } from './routes.tsx';
import { handleChunkError } from './routing/navigation.ts';
import { hasScreen, resolveLanding, startScreens } from './routing/router.ts';
import { restoreSavedInputs } from './routing/saved-inputs.ts';
import { showStartupError, startServiceWorker, styleSheet, watchTextSize } from './shell/boot.ts';
import { handleFailures } from './shell/session-failures.ts';
import './styles/app.css';
import './ui/core/overlay-stack.ts';

declare global {
  var isUnsupportedBrowser: true | undefined;
}

/** Options of the React root. Error boundaries already log the errors that they catch. */
const rootOptions = { onCaughtError: () => undefined };

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
 * Starts the app. Hydrates the prerendered page if it matches the URL and the language; otherwise renders from scratch.
 * In both cases the screen's chunk loads first.
 */
async function startApp(root: HTMLElement): Promise<void> {
  // A missing text is rendered empty; the console reports its key.
  onMissing(reportError);
  startTheme();
  watchTextSize();
  keepInstallPrompt();
  handleFailures();
  syncSessionCookie();
  const prerendered = readPrerendered();
  const language = firstLanguage();
  const loadStyles = styleSheet(prerendered?.styles);
  const routes = { ...routeTable, styles: loadStyles };
  const { route, address } = resolveLanding(routes);
  const isPrerenderedScreen = prerendered?.path === route.path && prerendered.language === language;
  // Script evaluation and style sheet application run in separate tasks.
  if (isPrerenderedScreen) await nextTask();
  // Loads fonts and styles in parallel. A member's page soon renders more than its inline styles cover.
  if (!isPrerenderedScreen) void fontsReady(language);
  const fullStyles = isPrerenderedScreen && route.shell === 'member' ? loadStyles() : undefined;
  const prerenderedTexts = isPrerenderedScreen ? (Object.entries(prerendered.words) as [Namespace, object][]) : [];
  for (const [namespace, texts] of prerenderedTexts) addNamespace(language, namespace, texts);
  await loadNamespaces(['common', ...prerenderedTexts.map(([namespace]) => namespace)], language);
  await applyLanguage(language);
  if (!isPrerenderedScreen) {
    await loadStyles();
    await fontsReady(language);
  }
  let hasScreenFailed = false;
  const onScreenFailure = (failure: unknown): void => {
    if (hasScreen()) return handleChunkError(failure);
    hasScreenFailed = true;
    void showStartupError(root, failure);
  };
  // After a redirect, the server served the page of the redirect target: the URL has to match it.
  if (isPrerenderedScreen && address !== location.pathname + location.search + location.hash)
    history.replaceState(history.state, '', address);
  await startScreens(routes, onScreenFailure, isPrerenderedScreen ? route : undefined);
  await fullStyles;
  if (hasScreenFailed) return;
  if (isPrerenderedScreen) {
    const restoreTyped = restoreInputs(root);
    const onMounted = (): void => {
      root.inert = false;
      restoreTyped();
      restoreSavedInputs();
    };
    // A transition is interruptible, so that a slow phone responds to input.
    startTransition(() => void hydrateRoot(root, <App onMounted={onMounted} />, rootOptions));
  } else {
    root.inert = false;
    delete document.documentElement.dataset.wait;
    root.replaceChildren();
    createRoot(root, rootOptions).render(<App onMounted={restoreSavedInputs} />);
  }
  void loadStyles();
  void loadNamespaces(['parts']).catch(() => undefined);
  startServiceWorker();
}

// In an unsupported browser, `build/old-browser` shows a notice instead of the app.
if (!globalThis.isUnsupportedBrowser) {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root');
  await startApp(root).catch((failure: unknown) => showStartupError(root, failure));
}
