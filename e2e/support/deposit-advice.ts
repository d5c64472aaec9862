import type { Locator, Page } from '@playwright/test';
import { translatorFor } from './translate.ts';

const translate = translatorFor('th');

type Facts = Partial<{
  isOpen: boolean;
  isHealthy: boolean;
  medianSeconds: number | null;
  samples: number;
  lastUsedAt: string | null;
  lastWorked: boolean;
}>;
type Account = {
  bankCode: string;
  bankType: string;
  bankAccountNo: string;
  mode: string;
  bank: Record<string, string>;
  currency: string;
};
export type Lookup = { banks: Account[]; wallets: { mode: string }[]; isManual: boolean; apps: unknown[] };

/** Answers the question about facts in the server's place: those of the test's other members would change them. */
export async function advising(page: Page, known: Readonly<Record<string, Facts>>, more: object = {}): Promise<void> {
  await page.route('**/api/deposit/advice', (route) =>
    route.fulfill({
      json: {
        at: new Date().toISOString(),
        headroom: null,
        freesAt: null,
        lastAmount: null,
        ways: Object.entries(known).map(([id, facts]) => ({
          id,
          isOpen: true,
          opensAt: null,
          isHealthy: true,
          medianSeconds: null,
          samples: 0,
          lastUsedAt: null,
          lastWorked: false,
          ...facts,
        })),
        ...more,
      },
    }),
  );
}

export const usedNow = (more: Facts = {}): Facts => ({
  lastUsedAt: new Date().toISOString(),
  lastWorked: true,
  ...more,
});
export const question = (sheet: Locator, say = translate): Locator => sheet.getByLabel(say('deposit:advice.howMuch'));
export const card = (sheet: Locator, title: string): Locator => sheet.getByRole('button', { name: title });
export const payByQr = (amount: string, say = translate): string => say('deposit:advice.payAmountByQr', { amount });
