import type { Locator, Page } from '@playwright/test';
import type { Translate } from './translate.ts';

/** The strip of open items above the bottom menu. */
export const strip = (page: Page, translate: Translate): Locator =>
  page.getByRole('region', { name: translate('money:strip.label') });

const MINUTE_MS = 60_000;

/** An open item in the format of the server's reply: a withdrawal of 100 baht, with these changes. */
export const pendingItem = (changes: object = {}) => ({
  key: 'W7K2M9QABCDEFG',
  kind: 'withdraw',
  state: 'ACCEPTED',
  amount: 100,
  payAmount: null,
  place: 'SCB',
  since: new Date().toISOString(),
  expectedBy: new Date(Date.now() + 2 * MINUTE_MS).toISOString(),
  expiresAt: null,
  target: '/user/home#withdraw',
  ...changes,
});

/** Answers the open items in place of the server. */
export const answerPending = (page: Page, items: () => readonly object[], more = 0): Promise<unknown> =>
  page.route('**/api/pending', (route) =>
    route.fulfill({ json: { at: new Date().toISOString(), more, items: items() } }),
  );

/** A withdrawal with its steps, as the server's reply has it. */
export const timelineItem = (changes: object = {}) => ({
  key: 'W7K2M9QABCDEFG',
  kind: 'withdraw',
  status: 'PROCESSING',
  amount: -100,
  requested: 100,
  currency: 'BAHT',
  from: 'WALLET',
  to: 'SCB',
  account: 'xxx-x-x6789-x',
  reference: 'W7K2M9QABCDEFG',
  bankReference: null,
  reason: null,
  isLate: false,
  expectedBy: new Date(Date.now() + 2 * MINUTE_MS).toISOString(),
  steps: [
    { name: 'requested', at: new Date(Date.now() - MINUTE_MS).toISOString(), isDone: true },
    { name: 'sent', at: new Date().toISOString(), isDone: true },
    { name: 'paidOut', at: null, isDone: false },
  ],
  links: ['line-4711'],
  ...changes,
});
