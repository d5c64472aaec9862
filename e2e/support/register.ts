import type { Page } from '@playwright/test';
import { api, newPhone } from './member.ts';
import { newestCode } from './outside.ts';
import { expect } from './test.ts';

/** The steps of the register wizard, in Thai. */

export const next = (page: Page) => page.getByRole('button', { name: 'ถัดไป' });

export async function phoneStep(page: Page, phone: string): Promise<void> {
  await page.getByLabel('เบอร์โทรศัพท์').fill(phone);
  await next(page).click();
}

export async function codeStep(page: Page, phone: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
  await page.getByLabel('รหัส OTP').fill((await newestCode(phone)).code);
  await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
}

export async function profileStep(page: Page, password = 'Basket-of-gold-9'): Promise<void> {
  await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(password);
  await page.getByLabel('ยืนยันรหัสผ่าน').fill(password);
  await page.getByLabel('รู้จักเราจากที่ไหน').selectOption('FRIEND');
  await next(page).click();
}

/** Proves a phone from where the browser will call, without the browser. */
export async function verify(phone: string, address: string): Promise<void> {
  const { body } = await api<{ otpToken: string }>('POST', '/api/otp/send', { address, body: { phoneNumber: phone } });
  const { code } = await newestCode(phone);
  const proof = { otpToken: body.otpToken, otpCode: code };
  expect((await api('POST', '/api/otp/verify', { address, body: proof })).status).toBe(200);
}

/** At step 3, with a phone that has been proven. */
export async function atProfile(page: Page, address: string): Promise<void> {
  const phone = newPhone();
  await verify(phone, address);
  await page.goto('/register');
  await phoneStep(page, phone);
  await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
}
