import { onReconnect } from './connection.ts';
import { reloadOnce } from '../routing/navigation.ts';

/**
 * Loads the complete style sheet. A page of the bundler links it; a prerendered one has its own styles inline and loads
 * the rest before another screen.
 * @param href URL of the sheet, or undefined if it is linked already
 * @returns loads it once; also resolves after a failure, because missing styles are better than no page
 */
export function styleSheet(href: string | undefined): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () =>
    (loading ??= new Promise((resolve) => {
      if (!href) return resolve();
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = href;
      link.addEventListener('load', () => resolve());
      link.addEventListener('error', () => resolve());
      document.head.append(link);
    }));
}

/** In all three languages: the texts of the current one may have failed to load. */
const TEXT = "ติดต่อเซิร์ฟเวอร์ไม่ได้ · ຕິດຕໍ່ເຊີບເວີບໍ່ໄດ້ · Couldn't reach the server";

/**
 * Startup failed: shows an error on an empty page, and restarts on reconnection or a press. A readable prerendered page
 * stays as it is.
 */
export async function showStartupError(root: HTMLElement, failure: unknown): Promise<void> {
  if (await reloadOnce()) return;
  reportError(failure);
  onReconnect(() => location.reload());
  const { dataset } = document.documentElement;
  if (root.childElementCount > 0 && !root.inert && dataset.wait === undefined) return;
  delete dataset.wait;
  root.inert = false;
  root.replaceChildren();
  const button = document.createElement('button');
  button.className = 'm-auto block min-h-dvh max-w-sm p-8 text-center text-muted';
  button.textContent = TEXT;
  button.addEventListener('click', () => location.reload());
  root.append(button);
}

const ADDRESS = '/service-worker.js';

type ScriptUrls = { createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptPolicy };
type ScriptPolicy = { createScriptURL: (url: string) => unknown };

/** Trusted Types policy for the URL of the service worker. */
function trustedAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: ScriptUrls };
  const policy = trustedTypes?.createPolicy('krapao', { createScriptURL: () => ADDRESS });
  return (policy?.createScriptURL(ADDRESS) ?? ADDRESS) as string;
}

/** Registers the service worker once the page is idle. Without support, nothing changes. */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const start = (): void => void navigator.serviceWorker.register(trustedAddress()).catch(() => undefined);
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}

/** Below this many rem the large-text layout applies; the same as the `narrow` media query of the style sheet. */
const NARROW_REM = 17;

/**
 * Keeps `data-narrow` on the document while the text is too large for the width of the window. Media queries ignore
 * the browser's text zoom and a root font size from a user style sheet.
 */
export function watchTextSize(): void {
  const root = document.documentElement;
  const probe = document.createElement('div');
  probe.ariaHidden = 'true';
  probe.textContent = '0';
  probe.style.cssText = 'position:absolute;top:0;font:1rem/1 system-ui;visibility:hidden;pointer-events:none';
  document.body.append(probe);
  const update = (): void => {
    root.toggleAttribute('data-narrow', root.clientWidth < NARROW_REM * probe.offsetHeight);
  };
  const observer = new ResizeObserver(update);
  observer.observe(probe);
  observer.observe(root);
}
