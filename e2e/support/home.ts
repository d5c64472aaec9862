import type { Page } from '@playwright/test';
import { expect } from './test.ts';

/** Opens the home page and accepts the agreement, which a browser is asked for once: from here on nothing comes between. */
export async function openHome(page: Page): Promise<void> {
  await page.goto('/user/home');
  const agreement = page.getByRole('dialog', { name: 'ข้อตกลงก่อนใช้งาน' });
  await agreement.getByRole('button', { name: 'รับทราบและยอมรับ' }).click();
  await expect(agreement).toBeHidden();
}
