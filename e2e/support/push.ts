import type { BrowserContext, Page } from '@playwright/test';
import { simulatorsUrl } from './simulators.ts';

/** A subscription as the push service of a browser issues it. */
export type BrowserSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** A message that the push service has received and decrypted. */
export type PushMessage = { at: string; ttl: number; topic: string | null; payload: PushPayload | null };
export type PushPayload = {
  web_push: number;
  notification: { title: string; body: string; lang: string; tag: string; navigate: string };
};

/** The push service at the address that the server is configured with: endpoints elsewhere are refused. */
const pushServiceUrl = (): string => `${simulatorsUrl().replace('//localhost:', '//127.0.0.1:')}/push`;

/** A browser subscribes at the simulated push service. @param publicKey of `GET /api/push/key` */
export async function subscribeAtPushService(publicKey: string): Promise<BrowserSubscription> {
  const reply = await fetch(`${pushServiceUrl()}/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey }),
  });
  return (await reply.json()) as BrowserSubscription;
}

/** Messages that the push service has received for a subscription, oldest first. */
export async function readPushMessages({ endpoint }: BrowserSubscription): Promise<PushMessage[]> {
  const reply = await fetch(`${pushServiceUrl()}/messages?endpoint=${encodeURIComponent(endpoint)}`);
  return (await reply.json()) as PushMessage[];
}

/** The browser ends its subscription; the push service then refuses messages with 410. */
export const endAtPushService = ({ endpoint }: BrowserSubscription): Promise<unknown> =>
  fetch(`${pushServiceUrl()}/subscriptions`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint }),
  });

export type PushBrowser = {
  permission: NotificationPermission;
  /** The member's answer to the browser's question. */
  answer: NotificationPermission;
  subscription: BrowserSubscription;
  /** Whether the page has no service worker, as in most journeys. */
  isWorkerMocked: boolean;
};

const SAMPLE_SUBSCRIPTION: BrowserSubscription = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/sample',
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
};

/**
 * Replaces the browser's permission and push service, which a test browser lacks. The state lasts as long as the tab.
 * `readPushBrowser` returns what the page has requested.
 */
export function mockPushBrowser(target: Page | BrowserContext, changes: Partial<PushBrowser> = {}): Promise<unknown> {
  const browser: PushBrowser = {
    permission: 'default',
    answer: 'granted',
    subscription: SAMPLE_SUBSCRIPTION,
    isWorkerMocked: true,
    ...changes,
  };
  return target.addInitScript(replacePushInPage, browser);
}

/** Runs in the page. */
function replacePushInPage({ permission, answer, subscription, isWorkerMocked }: PushBrowser): void {
  const read = (key: string): string | null => sessionStorage.getItem(`push-test-${key}`);
  const write = (key: string, value: string): void => sessionStorage.setItem(`push-test-${key}`, value);
  const toBase64 = (buffer: ArrayBuffer | Uint8Array): string =>
    btoa(String.fromCharCode(...new Uint8Array(buffer as ArrayBuffer)));
  const current = () => {
    const serverKey = read('key');
    if (!serverKey) return null;
    const bytes = Uint8Array.from(atob(serverKey), (character) => character.charCodeAt(0));
    return {
      endpoint: subscription.endpoint,
      options: { applicationServerKey: bytes.buffer, userVisibleOnly: true },
      toJSON: () => ({ ...subscription, expirationTime: null }),
      unsubscribe: async () => {
        write('key', '');
        write('unsubscribed', String(Number(read('unsubscribed') ?? 0) + 1));
        return true;
      },
    };
  };
  const pushManager = {
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
      write('key', toBase64(applicationServerKey));
      return current();
    },
    getSubscription: async () => current(),
  };
  const ownPermission = (): string => read('permission') ?? permission;
  const requestPermission = async (): Promise<string> => {
    write('requested', String(Number(read('requested') ?? 0) + 1));
    write('isActive', String(navigator.userActivation.isActive));
    if (ownPermission() === 'default') write('permission', answer);
    return ownPermission();
  };
  // oxlint-disable-next-line typescript/no-extraneous-class -- replaces a class of the browser
  class MockedNotification {
    static get permission(): string {
      return ownPermission();
    }
    static readonly requestPermission = requestPermission;
  }
  Object.defineProperty(globalThis, 'Notification', { configurable: true, value: MockedNotification });
  if (!isWorkerMocked) {
    Object.assign(PushManager.prototype, pushManager);
    return;
  }
  const registration = Object.assign(new EventTarget(), {
    pushManager,
    waiting: null,
    installing: null,
    update: async () => undefined,
    getNotifications: async () => [],
  });
  Object.defineProperty(globalThis, 'PushManager', { configurable: true, value: EventTarget });
  Object.defineProperty(ServiceWorkerContainer.prototype, 'ready', { get: async () => registration });
  ServiceWorkerContainer.prototype.getRegistration = async () => registration as unknown as ServiceWorkerRegistration;
}

/** What the page has requested of its browser so far. */
export const readPushBrowser = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(() =>
    Object.fromEntries(
      Object.entries<string>(sessionStorage)
        .filter(([key]) => key.startsWith('push-test-'))
        .map(([key, value]) => [key.slice('push-test-'.length), value]),
    ),
  );
