import { PUSH_CACHE, PUSH_LANGUAGE_URL } from '../browser/storage.ts';
import { readCopy } from './cache.ts';
import { memberPathOf, readPushMessage } from './push-messages.ts';

type ExtendableEvent = Event & { waitUntil: (promise: Promise<unknown>) => void };
type PushEvent = ExtendableEvent & { data: { text: () => string } | null };
type NotificationClickEvent = ExtendableEvent & { notification: Notification };
type SubscriptionChangeEvent = ExtendableEvent & {
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
};
type WindowClient = {
  focused: boolean;
  focus: () => Promise<WindowClient>;
  navigate: (url: string) => Promise<unknown>;
  postMessage: (message: unknown) => void;
};

/** What the worker's scope offers for push messages. */
export type PushScope = {
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll: (options: { type: 'window'; includeUncontrolled?: boolean }) => Promise<readonly WindowClient[]>;
    openWindow: (url: string) => Promise<unknown>;
  };
  addEventListener: {
    (type: 'push', listener: (event: PushEvent) => void): void;
    (type: 'notificationclick', listener: (event: NotificationClickEvent) => void): void;
    (type: 'pushsubscriptionchange', listener: (event: SubscriptionChangeEvent) => void): void;
  };
};

/** Sends a message to all open pages: `push` after a notification, `push-renewed` after a new subscription. */
async function reportToPages({ clients }: PushScope, type: 'push' | 'push-renewed'): Promise<void> {
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const page of pages) page.postMessage({ type });
}

/** Language of the subscription, stored by the app. The worker can't read local storage. */
async function subscribedLanguage(): Promise<string | undefined> {
  const stored = await readCopy(PUSH_CACHE, PUSH_LANGUAGE_URL);
  return stored?.text().catch(() => undefined);
}

function textOf({ data }: PushEvent): string {
  try {
    return data?.text() ?? '';
  } catch {
    return '';
  }
}

/** Shows each message, also without an open page or a session: browsers require it. The tag removes duplicates. */
async function showPush(scope: PushScope, payload: string): Promise<void> {
  const { title, options } = readPushMessage(payload, location.origin, await subscribedLanguage());
  await scope.registration.showNotification(title, options);
  await reportToPages(scope, 'push');
}

/** Opens a path in a page of the app that is already open, else in a new one. Only the worker's pages can navigate. */
async function openPath({ clients }: PushScope, path: string): Promise<void> {
  const pages = await clients.matchAll({ type: 'window' });
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  if (!page) return void (await clients.openWindow(path));
  try {
    const focusedPage = await page.focus();
    await focusedPage.navigate(path);
  } catch {
    // The page was closed or belongs to an older worker.
    await clients.openWindow(path);
  }
}

/** Subscribes again with the same key. The open page, or the next one, sends the subscription to the server. */
async function renewSubscription(scope: PushScope, event: SubscriptionChangeEvent): Promise<void> {
  const { oldSubscription, newSubscription } = event;
  const applicationServerKey = oldSubscription?.options.applicationServerKey;
  if (!newSubscription && applicationServerKey)
    await scope.registration.pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey })
      .catch(() => undefined);
  await reportToPages(scope, 'push-renewed');
}

/** Handles push messages, presses of notifications, and subscriptions that the browser has replaced. */
export function listenForPush(scope: PushScope): void {
  scope.addEventListener('push', (event) => event.waitUntil(showPush(scope, textOf(event))));
  scope.addEventListener('notificationclick', (event) => {
    const { notification } = event;
    notification.close();
    const data: unknown = notification.data;
    const path = typeof data === 'object' && data !== null ? (data as { path?: unknown }).path : undefined;
    event.waitUntil(openPath(scope, memberPathOf(path, location.origin)));
  });
  scope.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription(scope, event)));
}
