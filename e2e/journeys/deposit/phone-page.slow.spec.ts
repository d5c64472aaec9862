import type { Page } from '@playwright/test';
import { DESK, faultsOf, PHONE } from '../../support/accessible.ts';
import { api, appUrl, newMember, newPhone } from '../../support/member.ts';
import { write } from '../../support/chat.ts';
import { outsideUrl } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';

const LANGUAGES = [
  { choose: 'ไทย', lang: 'th', app: 'เปิดแอป', support: 'ศูนย์ช่วยเหลือ', steps: 'เริ่มต้นใช้งาน', bank: 'ธนาคาร' },
  { choose: 'ລາວ', lang: 'lo', app: 'ເປີດແອັບ', support: 'ສູນຊ່ວຍເຫຼືອ', steps: 'ເລີ່ມຕົ້ນນຳໃຊ້', bank: 'ທະນາຄານ' },
  { choose: 'English', lang: 'en', app: 'Open the app', support: 'Support desk', steps: 'First steps', bank: 'Bank' },
] as const;

test.describe('the phone page', () => {
  test('leads to the app and to support, and tells the first steps in each language, on a phone and on a desk', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    for (const size of [PHONE, DESK]) {
      await page.setViewportSize(size);
      await page.goto(outsideUrl());
      for (const { choose, lang, app, support, steps, bank } of LANGUAGES) {
        await page.getByRole('button', { name: choose, exact: true }).click();
        await expect(page.locator('html')).toHaveAttribute('lang', lang);
        await expect(page.getByRole('link', { name: app })).toHaveAttribute('href', appUrl());
        await expect(page.getByRole('link', { name: bank, exact: true })).toBeVisible();
        const guide = page.getByRole('group').filter({ hasText: steps });
        await expect(guide.getByRole('listitem')).toHaveCount(5);
        const first = guide.getByRole('listitem').first();
        expect(await first.evaluate((item) => getComputedStyle(item).listStyleType)).toBe('decimal');
        const whole = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
        expect(whole, 'nothing beside the screen').toBe(true);
        expect(await faultsOf(page)).toEqual([]);
        const [desk] = await Promise.all([
          page.context().waitForEvent('page'),
          page.getByRole('link', { name: support }).click(),
        ]);
        await expect(desk.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(desk.locator('html')).toHaveAttribute('lang', lang);
        await desk.close();
      }
      await page.reload();
      await expect(page.locator('html'), `${size.width}`).toHaveAttribute('lang', 'en');
    }
  });

  test('the bank app speaks Lao too', async ({ page }) => {
    await page.goto(outsideUrl());
    await page.getByRole('button', { name: 'ລາວ', exact: true }).click();
    await page.getByRole('link', { name: 'ທະນາຄານ', exact: true }).click();
    await page.getByRole('radio', { name: 'ການຄ້າຕ່າງປະເທດລາວ' }).click();
    await page.getByLabel('ເລກບັນຊີ').fill('010123456789');
    await page.getByLabel('ຊື່ບັນຊີ').fill('BOUNMY SOUK');
    await page.getByRole('button', { name: 'ເປີດບັນຊີ' }).click();
    await expect(page.getByText('500,000,000.00 ₭')).toBeVisible();
    expect(await page.locator('#screen').innerText()).not.toMatch(/[ก-ฺเ-๛]/);
  });
});

test('the phone transfers by bank, sends by the wallet app and makes a gift link; a refusal is shown and can be repeated', async ({
  page,
}) => {
  await page.goto(outsideUrl());
  await page.getByRole('link', { name: 'ธนาคาร', exact: true }).click();
  await page.getByRole('radio', { name: 'กสิกรไทย' }).click();
  await page.getByLabel('เลขที่บัญชี').fill(`66${String(Date.now() % 100_000_000).padStart(8, '0')}`);
  await page.getByLabel('ชื่อบัญชี').fill('SOMJAI DEEMAK');
  await page.getByRole('button', { name: 'เปิดบัญชี' }).click();
  await page.getByRole('link', { name: 'โอนเงิน' }).click();
  await page.locator('.choice').first().click();
  const send = page.getByRole('button', { name: 'ยืนยันโอน' });
  await page.getByLabel('จำนวนเงิน').fill('99,000,000');
  await send.click();
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await page.getByLabel('จำนวนเงิน').fill('1,234.50');
  await send.click();
  await expect(page.getByRole('heading', { name: 'โอนเงินสำเร็จ' })).toBeVisible();
  await expect(page.locator('#screen')).toContainText('1,234.50');

  await page.goto(`${outsideUrl()}/#/wallet`);
  await page.getByRole('textbox').first().fill(newPhone());
  await page.getByRole('button', { name: 'บันทึก' }).click();
  await page.getByRole('link', { name: 'โอนเงิน' }).click();
  await page.locator('.choice').first().click();
  await page.getByLabel('จำนวนเงิน').fill('20');
  await page.getByRole('button', { name: 'ยืนยันโอน' }).click();
  await expect(page.getByRole('heading', { name: 'โอนเงินสำเร็จ' })).toBeVisible();
  await page.goto(`${outsideUrl()}/#/wallet/gift`);
  await page.getByLabel('เงินในซอง').fill('30');
  await page.getByRole('button', { name: 'ทำซอง' }).click();
  await expect(page.getByText('ซองของขวัญพร้อมแล้ว')).toBeVisible();
});

test('the phone takes its number as the app does: with a country code, blanks and Thai or Lao digits', async ({
  page,
}) => {
  const phone = newPhone();
  const local = phone.slice(1);
  for (const typed of [
    `+66 ${local.slice(0, 2)} ${local.slice(2, 5)} ${local.slice(5)}`,
    phone.replace(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit))),
    `(${phone.slice(0, 3)}) ${phone.slice(3)}`.replace(/\d/g, (digit) => String.fromCharCode(0x0ed0 + Number(digit))),
  ]) {
    await page.goto(`${outsideUrl()}/#/number`);
    await page.getByLabel('ใส่เบอร์มือถือ').fill(typed);
    await page.getByRole('button', { name: 'บันทึก' }).click();
    await expect(page.getByText(phone, { exact: true })).toBeVisible();
    await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
  }
});

test.describe('the desk of support', () => {
  const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

  test('lists who waits, since when and what is unread, until it is read and answered', async ({ page }) => {
    const member = await newMember({ name: `รอ ${Date.now() % 1_000_000}` });
    await page.goto(`${outsideUrl()}/support?l=en`);
    const row = rowOf(page, member.name);
    await write(member, 'Where is my deposit?');
    await expect(row).toContainText('Answered');
    await expect(row.getByRole('img', { name: '1 unread message' })).toBeVisible();
    const ask = { message_type: 'postback', payload: { title: 'Talk to a person', payload: 'topic:person' } };
    await api('POST', '/api/chat/send-message', { token: member.token, body: { message: ask } });
    await expect(row.getByRole('img', { name: '2 unread messages' })).toBeVisible();
    await expect(row).toContainText('Waiting under 1 min');
    await expect(page.getByRole('status')).toHaveText(/^(1 person is|\d+ people are) waiting$/);
    await expect(page).toHaveTitle(/^\(\d+\) Support$/);
    await row.getByRole('button').click();
    await expect(page.getByRole('heading', { level: 2, name: member.name })).toBeVisible();
    await expect(page.locator('#since')).toHaveText(/^Waiting since \d\d:\d\d · (under 1 min|\d min)$/);
    await expect(row.getByRole('img')).toHaveCount(0);
    await expect(page.locator('#talk li').first()).toHaveText('Today');
    await expect(page.locator('#talk time').first()).toHaveText(/^\d\d:\d\d$/);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel('Write an answer').fill('Here it is');
    await page.keyboard.press('Enter');
    await expect(page.locator('#since')).toHaveText('Answered');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await expect(row).toContainText('Answered');
    expect(await faultsOf(page)).toEqual([]);
  });

  test('says how long a customer has waited in the words of its language', async ({ page }) => {
    const member = await newMember({ name: `นาน ${Date.now() % 1_000_000}` });
    await write(member, 'hello');
    const at = (ms: number) =>
      page.route('**/support/conversations', async (route) => {
        const listed = (await (await route.fetch()).json()) as { name: string }[];
        const waits = listed.filter(({ name }) => name === member.name);
        await route.fulfill({ json: waits.map((one) => ({ ...one, waitingSince: Date.now() - ms })) });
      });
    for (const [ms, th, la, en] of [
      [5 * 60_000, 'รอ 5 นาที', 'ລໍຖ້າ 5 ນາທີ', 'Waiting 5 min'],
      [3 * 3_600_000, 'รอ 3 ชั่วโมง', 'ລໍຖ້າ 3 ຊົ່ວໂມງ', 'Waiting 3 h'],
      [50 * 3_600_000, 'รอ 2 วัน', 'ລໍຖ້າ 2 ມື້', 'Waiting 2 days'],
    ] as const) {
      await at(ms);
      for (const [language, words] of Object.entries({ th, la, en })) {
        await page.goto(`${outsideUrl()}/support?l=${language}`);
        await expect(rowOf(page, member.name)).toContainText(words);
      }
    }
  });
});
