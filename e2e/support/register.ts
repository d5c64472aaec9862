import type { Page } from '@playwright/test';
import { api, newPhone } from './member.ts';
import { readNewestSms } from './simulators.ts';
import { expect } from './test.ts';

/** The steps of the register wizard, in Thai. */

export const nextButton = (page: Page) => page.getByRole('button', { name: 'ถัดไป' });

export async function completePhoneStep(page: Page, phone: string): Promise<void> {
  await page.getByLabel('เบอร์โทรศัพท์').fill(phone);
  await nextButton(page).click();
}

export async function completeCodeStep(page: Page, phone: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
  await page.getByLabel('รหัส OTP').fill((await readNewestSms(phone)).code);
  await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
}

export async function completeProfileStep(page: Page, password = 'Basket-of-gold-9'): Promise<void> {
  await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(password);
  await page.getByLabel('ยืนยันรหัสผ่าน').fill(password);
  await page.getByLabel('รู้จักเราจากที่ไหน').selectOption('FRIEND');
  await nextButton(page).click();
}

/** Verifies a phone by the API, from the browser's address. */
export async function verifyPhone(phone: string, address: string): Promise<void> {
  const { body } = await api<{ otpToken: string }>('POST', '/api/otp/send', { address, body: { phoneNumber: phone } });
  const { code } = await readNewestSms(phone);
  const proof = { otpToken: body.otpToken, otpCode: code };
  expect((await api('POST', '/api/otp/verify', { address, body: proof })).status).toBe(200);
}

/** Opens step 3 with a verified phone. */
export async function openProfileStep(page: Page, address: string): Promise<void> {
  const phone = newPhone();
  await verifyPhone(phone, address);
  await page.goto('/register');
  await completePhoneStep(page, phone);
  await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
}
