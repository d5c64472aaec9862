import { onReconnect } from '../browser/connection.ts';
import { reloadOnce } from '../routing/navigation.ts';

/**
 * Loads the complete style sheet. The bundler's page links it; a prerendered page has its own styles inline and needs
 * the complete sheet before another screen.
 * @param href URL of the sheet; undefined if the page links it already
 * @returns function that loads the sheet once. It also resolves after a failure, because missing styles are better than
 *   no page.
 */
export function styleSheet(href: string | undefined): () => Promise<void> {
  let loadPromise: Promise<void> | undefined;
  return () =>
    (loadPromise ??= new Promise((resolve) => {
      if (!href) return resolve();
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = href;
      link.addEventListener('load', () => resolve());
      link.addEventListener('error', () => resolve());
      document.head.append(link);
    }));
}

/** In all three languages, because the texts of the current language may have failed to load. */
const UNREACHABLE_TEXT = "ติดต่อเซิร์ฟเวอร์ไม่ได้ · ຕິດຕໍ່ເຊີບເວີບໍ່ໄດ້ · Couldn't reach the server";

/**
 * Handles a failed start: shows an error on an empty page, and restarts after a reconnection or a press. A readable
 * prerendered page stays unchanged.
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
  button.textContent = UNREACHABLE_TEXT;
  button.addEventListener('click', () => location.reload());
  root.append(button);
}

const SERVICE_WORKER_URL = '/service-worker.js';

type TrustedTypesFactory = {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => TrustedScriptPolicy;
};
type TrustedScriptPolicy = { createScriptURL: (url: string) => unknown };

/** Service worker URL, as required by the page's Trusted Types policy. */
function trustedWorkerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypesFactory };
  const policy = trustedTypes?.createPolicy('krapao', { createScriptURL: () => SERVICE_WORKER_URL });
  return (policy?.createScriptURL(SERVICE_WORKER_URL) ?? SERVICE_WORKER_URL) as string;
}

/** Registers the service worker once the page is idle. Does nothing in browsers without support. */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = (): void => void navigator.serviceWorker.register(trustedWorkerUrl()).catch(() => undefined);
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}

/** Window width in rem below which the layout for large text applies; the head script of a page has the same limit. */
const NARROW_REM = 17;

/**
 * Updates `data-narrow` on the document: set while the text is too large for the window's width. The media query of the
 * head script ignores the browser's text zoom and a root font size set by a user style sheet.
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
