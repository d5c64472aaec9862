import { isLanguage, type Language } from '@krapao/contract/languages';
import { APP_NAME } from '../browser/variant.ts';
import { parseUrl } from '../format/web-address.ts';
import { safeTarget } from '../routing/login-target.ts';

/** What the service worker shows for a push message. `path`: where a press leads. */
export type PushNotification = { title: string; options: TaggedNotificationOptions; path: string };

/** `renotify`: alerts again when it replaces a notification of its tag, else in silence. TypeScript's type lacks it. */
type TaggedNotificationOptions = NotificationOptions & { renotify?: boolean };

const HOME_PATH = '/user/home';
const ICON_URL = '/icons/icon-192.png';
const TEXT_CHARACTERS_MAX = 300;

/** Shown for a message without a readable text. A browser ends subscriptions whose messages show nothing. */
const NEUTRAL_BODIES: Readonly<Record<Language, string>> = {
  th: 'มีการแจ้งเตือนใหม่ แตะเพื่อดู',
  la: 'ມີການແຈ້ງເຕືອນໃໝ່ ແຕະເພື່ອເບິ່ງ',
  en: 'You have a new notification',
};
const NEUTRAL_TAG = 'krapao';

/** Marks a payload as Declarative Web Push, which some browsers show without a worker. */
const DECLARATIVE_MARK = 8030;

/**
 * Path of a member page to open. Other addresses lead home: a payload must not send members elsewhere.
 * @param address absolute or relative
 */
export function memberPathOf(address: unknown, origin: string): string {
  const url = typeof address === 'string' ? parseUrl(address, origin) : undefined;
  const path = url?.origin === origin ? url.pathname + url.search + url.hash : undefined;
  return safeTarget(path) ?? HOME_PATH;
}

const shortText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, TEXT_CHARACTERS_MAX) : undefined;

/** Fields of the declared notification; undefined if the payload is malformed. */
function declaredNotification(payload: string): Record<string, unknown> | undefined {
  try {
    const message = JSON.parse(payload) as { web_push?: unknown; notification?: unknown } | null;
    const notification = message?.web_push === DECLARATIVE_MARK ? message.notification : undefined;
    return typeof notification === 'object' && notification !== null
      ? (notification as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a push message.
 * @param payload empty if the message has none
 * @param language of the text that replaces a missing or malformed one
 */
export function readPushMessage(payload: string, origin: string, language: unknown): PushNotification {
  const declared = declaredNotification(payload);
  const title = shortText(declared?.['title']);
  const path = memberPathOf(declared?.['navigate'], origin);
  const common = { icon: ICON_URL, data: { path } };
  if (!declared || title === undefined) {
    const body = NEUTRAL_BODIES[isLanguage(language) ? language : 'th'];
    return { title: APP_NAME, options: { ...common, body, tag: NEUTRAL_TAG, renotify: true }, path };
  }
  const { lang, dir, silent, renotify } = declared;
  const [body, tag] = [shortText(declared['body']), shortText(declared['tag'])];
  return {
    title,
    options: {
      ...common,
      ...(body !== undefined && { body }),
      // Browsers refuse it without a tag, or of a silent notification.
      ...(tag !== undefined && { tag, ...(renotify === true && silent !== true && { renotify }) }),
      ...(typeof lang === 'string' && /^[a-z]{2}$/.test(lang) && { lang }),
      ...((dir === 'ltr' || dir === 'rtl' || dir === 'auto') && { dir }),
      ...(silent === true && { silent }),
    },
    path,
  };
}
