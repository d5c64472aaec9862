import type { Locator, Page } from '@playwright/test';
import { api, type Member } from './member.ts';
import { expect } from './test.ts';
import { translatorFor } from './translate.ts';

const translate = translatorFor('th');

/** Names of the demonstration site's bonuses in Thai. */
export const WELCOME_BONUS_NAME = 'โบนัสต้อนรับ 100%';
export const DAILY_BONUS_NAME = 'โบนัสรายวัน 10%';
export const WEEKLY_BONUS_NAME = 'โบนัสรายสัปดาห์ 20%';
/** A promotion of 100 baht on a deposit of 300. */
export const PROMOTION_CODE = 'KRAPAO100';

/** A bonus on its page. */
export const bonusCard = (page: Page, name: string): Locator =>
  page.getByRole('region', { name: translate('bonus:all') }).getByRole('button', { name });
/** The bonus in use. */
export const activeBonusRegion = (page: Page): Locator =>
  page
    .getByRole('main')
    .locator('section')
    .filter({ hasText: translate('bonus:active.heading') });
export const promotionCodeField = (page: Page): Locator => page.getByLabel(translate('bonus:promotion.label'));

export async function openBonusPage(page: Page): Promise<void> {
  await page.goto('/user/bonus');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('bonus:title'));
  await expect(bonusCard(page, WELCOME_BONUS_NAME)).toBeVisible();
}

/** Receives a bonus by the API. */
export async function receiveBonus(member: Member, code: string): Promise<void> {
  const { status, body } = await api('GET', `/api/bonus/activate/${code}`, { token: member.token });
  expect(status, JSON.stringify(body)).toBe(200);
}

/** Gives the active bonus up by the API. */
export const giveUpBonus = (member: Member) => api('GET', '/api/bonus/clear', { token: member.token });
