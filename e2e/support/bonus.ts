import type { Locator, Page } from '@playwright/test';
import { api, type Member } from './member.ts';
import { expect } from './test.ts';
import { speaking } from './words.ts';

const say = speaking('th');

/** Bonuses of the demonstration site, as a Thai member reads them. */
export const WELCOME = 'โบนัสต้อนรับ 100%';
export const DAILY = 'โบนัสรายวัน 10%';
export const WEEKLY = 'โบนัสรายสัปดาห์ 20%';
/** A promotion that gives a hundred on three hundred. */
export const CODE = 'KRAPAO100';

/** A bonus on its page. */
export const card = (page: Page, name: string): Locator =>
  page.getByRole('region', { name: say('bonus:all') }).getByRole('button', { name });
/** The bonus in use. */
export const inUse = (page: Page): Locator =>
  page
    .getByRole('main')
    .locator('section')
    .filter({ hasText: say('bonus:active.heading') });
export const codeField = (page: Page): Locator => page.getByLabel(say('bonus:promotion.label'));

export async function openBonuses(page: Page): Promise<void> {
  await page.goto('/user/bonus');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('bonus:title'));
  await expect(card(page, WELCOME)).toBeVisible();
}

/** Receives a bonus without the page. */
export async function receive(member: Member, code: string): Promise<void> {
  const { status, body } = await api('GET', `/api/bonus/activate/${code}`, { token: member.token });
  expect(status, JSON.stringify(body)).toBe(200);
}

/** Gives the bonus in use up without the page. */
export const giveUp = (member: Member) => api('GET', '/api/bonus/clear', { token: member.token });
