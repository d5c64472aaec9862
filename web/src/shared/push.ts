import { STORAGE } from '@krapao/contract/constants';
import type { PushKind } from '@krapao/contract/endpoints/notification';
import { call } from '../api/call.ts';
import { apiQuery, queryClient } from '../api/query/query.ts';
import { PUSH_CACHE, PUSH_LANGUAGE_URL, readStored, writeStored } from '../browser/storage.ts';
import { currentLanguage, i18n } from '../i18n/i18n.ts';
import { isInAppBrowser, isInstalledApp, isIos } from './open-tab.ts';

/**
 * Whether this browser can show push messages. `install`: only in the installed app. `denied`: the member has refused
 * the browser's permission, which the app can't request again.
 */
export type PushSupport = 'available' | 'denied' | 'install' | 'inApp' | 'unsupported';

export function pushSupport(): PushSupport {
  if (isInAppBrowser()) return 'inApp';
  if (isIos() && !isInstalledApp()) return 'install';
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  if (!isSupported) return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'available';
}

/** In the order of the settings. The contract's list would bring its parser into the app. */
export const pushKinds = Object.keys({
  'money-in': true,
  'paid-out': true,
  refused: true,
  support: true,
  security: true,
} satisfies Record<PushKind, true>) as PushKind[];

/** What the member has chosen for this browser. */
export type PushChoice = { kinds: readonly PushKind[]; withAmounts: boolean };

/** Switched on together with the messages themselves: what happens to the member's money. */
export const FIRST_CHOICE: PushChoice = { kinds: ['money-in', 'paid-out', 'refused'], withAmounts: false };

type StoredChoice = PushChoice & { memberId: string };

/** The choice stored in this browser; undefined without one, or if it is malformed. */
function storedChoice(): StoredChoice | undefined {
  try {
    const { memberId, kinds, withAmounts } = JSON.parse(readStored(STORAGE.push) ?? '') as StoredChoice;
    if (typeof memberId !== 'string' || !Array.isArray(kinds)) return undefined;
    return { memberId, kinds: pushKinds.filter((kind) => kinds.includes(kind)), withAmounts: withAmounts === true };
  } catch {
    return undefined;
  }
}

/** The member's choice while push messages are on in this browser. */
export const currentChoice = (): PushChoice | undefined => storedChoice();

const WORKER_WAIT_MS = 10_000;

/** The registered service worker. Throws after ten seconds without one. */
const workerRegistration = (): Promise<ServiceWorkerRegistration> =>
  Promise.race([
    navigator.serviceWorker.ready,
    new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('the service worker did not start')), WORKER_WAIT_MS),
    ),
  ]);

/** The server's key for subscriptions; null where no push messages are sent. */
export const pushKeyQuery = { ...apiQuery('GET /api/push/key', { quiet: true }), staleTime: Infinity };

async function browserSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** @param key base64url without padding */
const keyBytes = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

const isSameKey = (bytes: Uint8Array, other: ArrayBuffer | null): boolean =>
  other !== null && bytes.length === other.byteLength && new Uint8Array(other).every((byte, i) => byte === bytes[i]);

/** Whether messages of the server can reach a subscription. Without a reply it counts as so. */
async function hasServerKey({ options }: PushSubscription): Promise<boolean> {
  const { publicKey } = await queryClient.query(pushKeyQuery).catch(() => ({ publicKey: null }));
  return publicKey === null || isSameKey(keyBytes(publicKey), options.applicationServerKey);
}

/** The browser's subscription under the server's key. A subscription under an older key is replaced. */
async function subscribeBrowser(): Promise<PushSubscription> {
  const [{ pushManager }, { publicKey }] = await Promise.all([workerRegistration(), queryClient.query(pushKeyQuery)]);
  if (publicKey === null) throw new Error('this site sends no push messages');
  const applicationServerKey = keyBytes(publicKey);
  const existing = await pushManager.getSubscription();
  if (existing && isSameKey(applicationServerKey, existing.options.applicationServerKey)) return existing;
  await existing?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

async function storeLanguage(): Promise<void> {
  const cache = await caches.open(PUSH_CACHE);
  await cache.put(PUSH_LANGUAGE_URL, new Response(currentLanguage()));
}

const memberId = async (): Promise<string> => {
  const { profile } = await queryClient.query(apiQuery('GET /api/wallet', { quiet: true }));
  return profile._id;
};

let lastTask: Promise<unknown> = Promise.resolve();

/** Runs changes one after another: the last press must win. */
function inOrder<T>(task: () => Promise<T>): Promise<T> {
  const result = lastTask.then(task);
  lastTask = result.catch(() => undefined);
  return result;
}

async function saveChoice(choice: PushChoice): Promise<void> {
  const [id, subscription] = await Promise.all([memberId(), subscribeBrowser()]);
  const { endpoint, keys } = subscription.toJSON();
  if (!endpoint || !keys?.['p256dh'] || !keys['auth']) throw new Error('the subscription has no keys');
  const body = {
    endpoint,
    keys: { p256dh: keys['p256dh'], auth: keys['auth'] },
    language: currentLanguage(),
    kinds: [...choice.kinds],
    withAmounts: choice.withAmounts,
  };
  await call('PUT /api/push/subscription', { body, quiet: true });
  const stored: StoredChoice = { memberId: id, kinds: choice.kinds, withAmounts: choice.withAmounts };
  writeStored(STORAGE.push, JSON.stringify(stored));
  await storeLanguage().catch(() => undefined);
  keepPushCurrent();
}

async function endSubscription(): Promise<void> {
  const subscription = await browserSubscription();
  if (subscription) {
    const { endpoint } = subscription;
    // Without a reply, the server forgets the subscription at its next message.
    await call('DELETE /api/push/subscription', { body: { endpoint }, quiet: true }).catch(() => undefined);
    await subscription.unsubscribe();
  }
  writeStored(STORAGE.push, null);
}

async function correctSubscription(): Promise<void> {
  const choice = storedChoice();
  if (!choice) return;
  const isAllowed = pushSupport() === 'available' && Notification.permission === 'granted';
  if (!isAllowed || choice.memberId !== (await memberId())) return endSubscription();
  keepPushCurrent();
  const [{ subscription }, existing] = await Promise.all([
    call('GET /api/push/subscription', { quiet: true }),
    browserSubscription(),
  ]);
  const isCurrent = existing !== null && subscription?.endpoint === existing.endpoint;
  if (isCurrent && subscription.language === currentLanguage() && (await hasServerKey(existing))) return;
  // The server has forgotten it, perhaps because the push service refuses it.
  if (!subscription) await existing?.unsubscribe();
  await saveChoice(choice);
}

/**
 * Turns push messages on in this browser, or changes the member's choice. Needs the browser's permission. Throws the
 * call's failure, or that of the browser's push service.
 */
export const savePushChoice = (choice: PushChoice): Promise<void> => inOrder(() => saveChoice(choice));

/** Turns push messages off in this browser. */
export const endPush = (): Promise<void> => inOrder(endSubscription);

/**
 * Compares this browser's subscription with the server's and corrects it: after a new login, a replaced subscription or
 * a changed language. Ends messages to another member or without permission.
 */
export const resumePush = (): Promise<void> => inOrder(correctSubscription);

let isKept = false;

/** Corrects the subscription after each change of the language, and when the worker reports a replaced subscription. */
function keepPushCurrent(): void {
  if (isKept) return;
  isKept = true;
  const resume = (): void => void resumePush().catch(() => undefined);
  i18n.on('languageChanged', resume);
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ type?: unknown } | null>) => {
    if (data?.type === 'push-renewed') resume();
  });
}

/** Whether the member may be asked about push messages now. They are asked once per device. */
export const mayAskAboutPush = (): boolean =>
  pushSupport() === 'available' && readStored(STORAGE.pushAsked) === null && readStored(STORAGE.push) === null;

export const recordPushAsked = (): void => writeStored(STORAGE.pushAsked, '1');

/** Requests the browser's permission. Must run synchronously in a press handler. */
export const requestPushPermission = (): Promise<NotificationPermission> => Notification.requestPermission();
