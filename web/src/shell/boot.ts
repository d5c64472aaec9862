import { onReconnect } from './connection.ts';
import { reloadOnce } from '../routing/navigation.ts';

/**
 * The whole style sheet. A page built by the bundler has it in its head; a prerendered one carries only its own part and
 * says where the whole is, to be fetched before another screen is shown.
 * @param href address of the sheet, or undefined when it is in the head already
 * @returns loads it once; resolves also when it can't be had, because a page without some styles beats none
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

/** Said in all three languages, because the words of the one in use may be what didn't come. */
const TEXT = "ติดต่อเซิร์ฟเวอร์ไม่ได้ · ຕິດຕໍ່ເຊີບເວີບໍ່ໄດ້ · Couldn't reach the server";

/**
 * The app failed to start: says so where nothing is shown yet, and restarts when the connection is back or the text is
 * pressed. A prerendered page that can be read and filled in stays as it is.
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

/** Where the page's policy allows scripts only by a named rule, this is ours: the one script that we name here. */
function trustedAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: ScriptUrls };
  const policy = trustedTypes?.createPolicy('krapao', { createScriptURL: () => ADDRESS });
  return (policy?.createScriptURL(ADDRESS) ?? ADDRESS) as string;
}

/** Starts the service worker when the page has come to rest. Where there is none, the app is as it was. */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const start = (): void => void navigator.serviceWorker.register(trustedAddress()).catch(() => undefined);
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}

/** Below this many rem a page is laid out for large text; the same as the `narrow` media query of the style sheet. */
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
