import type { Locator, Page } from '@playwright/test';
import type { Translate } from './translate.ts';
import { dialogByName } from './user-actions.ts';

const MINUTE_MS = 60_000;

/** A notice in the format of the server's reply: money that arrived a minute ago, with these changes. */
export const sampleNotice = (id: number, changes: object = {}) => ({
  id: String(id),
  kind: 'money-in',
  at: new Date(Date.now() - MINUTE_MS).toISOString(),
  reference: `line-${id}`,
  facts: { amount: 500, currency: 'BAHT', place: 'KBANK' },
  isRead: false,
  target: `/user/home#money=line-${id}`,
  ...changes,
});

/** One notice of each kind, newest first. */
export const noticesOfEachKind = () => [
  sampleNotice(16),
  sampleNotice(15, { kind: 'paid-out', reference: 'W7K2M9QABCDEFG', target: '/user/home#money=W7K2M9QABCDEFG' }),
  sampleNotice(14, {
    kind: 'refused',
    reference: 'W7K2M9QABCDEFH',
    facts: { amount: 1_250.5, currency: 'BAHT', subject: 'withdraw' },
    target: '/user/home#money=W7K2M9QABCDEFH',
  }),
  sampleNotice(13, {
    kind: 'refused',
    reference: 'S7K2M9QABCDEFG',
    facts: { subject: 'slip', reason: 'EXPIRED_SLIP' },
    target: '/user/home#money=S7K2M9QABCDEFG',
  }),
  sampleNotice(12, { kind: 'support', reference: 'm1', facts: {}, target: '/user/home#chat' }),
  sampleNotice(11, {
    kind: 'security',
    reference: 'p1',
    facts: { subject: 'password' },
    isRead: true,
    target: '/user/profile',
  }),
  sampleNotice(10, {
    kind: 'security',
    reference: 'b1',
    facts: { subject: 'bankAccount' },
    isRead: true,
    target: '/user/profile',
  }),
];

type SampleNotice = ReturnType<typeof sampleNotice>;

/** Answers the notices in place of the server, ten per page. Marking them read changes later replies. */
export async function answerNotices(page: Page, notices: readonly SampleNotice[]): Promise<void> {
  const readIds = new Set<string>();
  await page.route('**/api/notices', (route) => {
    const { page: number, limit } = route.request().postDataJSON() as { page: number; limit: number };
    const current = notices.map((notice) => ({ ...notice, isRead: notice.isRead || readIds.has(notice.id) }));
    return route.fulfill({
      json: {
        total: current.length,
        unread: current.filter(({ isRead }) => !isRead).length,
        notices: current.slice((number - 1) * limit, number * limit),
      },
    });
  });
  await page.route('**/api/notices/read', (route) => {
    const { until, from = '0' } = route.request().postDataJSON() as { until: string; from?: string };
    for (const { id } of notices) if (Number(id) <= Number(until) && Number(id) >= Number(from)) readIds.add(id);
    return route.fulfill({ json: { message: 'OK' } });
  });
}

/** Counts the toasts that a page shows from now on. */
export async function countToasts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const seen = new Set<Element>();
    const earlier = new Set(document.querySelectorAll('[data-toast]'));
    Object.assign(globalThis, { seenToasts: seen });
    new MutationObserver(() => {
      for (const toast of document.querySelectorAll('[data-toast]')) if (!earlier.has(toast)) seen.add(toast);
    }).observe(document.body, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seenToasts: Set<Element> }).seenToasts.size);
}

/** The bell, with any number of unread notices. */
export const bell = (page: Page, translate: Translate): Locator =>
  page.getByRole('button', { name: new RegExp(`^${translate('push:bell.title')}`) });

export const noticeSheet = (page: Page, translate: Translate): Locator =>
  dialogByName(page, translate('push:bell.title'));
