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
