import type { Page } from '@playwright/test';
import { DESKTOP_VIEWPORT, findAccessibilityFaults, PHONE_VIEWPORT } from '../../support/accessible.ts';
import { sendChatMessage } from '../../support/chat.ts';
import { api, appUrl, newMember, newPhone } from '../../support/member.ts';
import { simulatorsUrl } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';

const LANGUAGES = [
  { choose: 'ไทย', lang: 'th', app: 'เปิดแอป', support: 'ศูนย์ช่วยเหลือ', steps: 'เริ่มต้นใช้งาน', bank: 'ธนาคาร' },
  { choose: 'ລາວ', lang: 'lo', app: 'ເປີດແອັບ', support: 'ສູນຊ່ວຍເຫຼືອ', steps: 'ເລີ່ມຕົ້ນນຳໃຊ້', bank: 'ທະນາຄານ' },
  { choose: 'English', lang: 'en', app: 'Open the app', support: 'Support desk', steps: 'First steps', bank: 'Bank' },
] as const;

test.describe('the simulated phone page', () => {
  test('the phone page links to the app and to support, and shows the first steps in each language, on phone and desktop', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    for (const size of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(size);
      await page.goto(simulatorsUrl());
      for (const { choose, lang, app, support, steps, bank } of LANGUAGES) {
        await page.getByRole('button', { name: choose, exact: true }).click();
        await expect(page.locator('html')).toHaveAttribute('lang', lang);
        await expect(page.getByRole('link', { name: app })).toHaveAttribute('href', appUrl());
        await expect(page.getByRole('link', { name: bank, exact: true })).toBeVisible();
        const guideGroup = page.getByRole('group').filter({ hasText: steps });
        await expect(guideGroup.getByRole('listitem')).toHaveCount(5);
        const first = guideGroup.getByRole('listitem').first();
        expect(await first.evaluate((listItem) => getComputedStyle(listItem).listStyleType)).toBe('decimal');
        const isFullyVisible = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
        expect(isFullyVisible, 'nothing beside the screen').toBe(true);
        expect(await findAccessibilityFaults(page)).toEqual([]);
        const [deskPage] = await Promise.all([
          page.context().waitForEvent('page'),
          page.getByRole('link', { name: support }).click(),
        ]);
        await expect(deskPage.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(deskPage.locator('html')).toHaveAttribute('lang', lang);
        await deskPage.close();
      }
      await page.reload();
      await expect(page.locator('html'), `${size.width}`).toHaveAttribute('lang', 'en');
    }
  });

  test('the simulated bank app is available in Lao', async ({ page }) => {
    await page.goto(simulatorsUrl());
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

test('the phone page transfers by bank, pays by wallet app and creates a gift link; a refusal is shown and can be repeated', async ({
  page,
}) => {
  await page.goto(simulatorsUrl());
  await page.getByRole('link', { name: 'ธนาคาร', exact: true }).click();
  await page.getByRole('radio', { name: 'กสิกรไทย' }).click();
  await page.getByLabel('เลขที่บัญชี').fill(`66${String(Date.now() % 100_000_000).padStart(8, '0')}`);
  await page.getByLabel('ชื่อบัญชี').fill('SOMJAI DEEMAK');
  await page.getByRole('button', { name: 'เปิดบัญชี' }).click();
  await page.getByRole('link', { name: 'โอนเงิน' }).click();
  await page.locator('.choice').first().click();
  const sendButton = page.getByRole('button', { name: 'ยืนยันโอน' });
  await page.getByLabel('จำนวนเงิน').fill('99,000,000');
  await sendButton.click();
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await page.getByLabel('จำนวนเงิน').fill('1,234.50');
  await sendButton.click();
  await expect(page.getByRole('heading', { name: 'โอนเงินสำเร็จ' })).toBeVisible();
  await expect(page.locator('#screen')).toContainText('1,234.50');

  await page.goto(`${simulatorsUrl()}/#/wallet`);
  await page.getByRole('textbox').first().fill(newPhone());
  await page.getByRole('button', { name: 'บันทึก' }).click();
  await page.getByRole('link', { name: 'โอนเงิน' }).click();
  await page.locator('.choice').first().click();
  await page.getByLabel('จำนวนเงิน').fill('20');
  await page.getByRole('button', { name: 'ยืนยันโอน' }).click();
  await expect(page.getByRole('heading', { name: 'โอนเงินสำเร็จ' })).toBeVisible();
  await page.goto(`${simulatorsUrl()}/#/wallet/gift`);
  await page.getByLabel('เงินในซอง').fill('30');
  await page.getByRole('button', { name: 'ทำซอง' }).click();
  await expect(page.getByText('ซองของขวัญพร้อมแล้ว')).toBeVisible();
});

test('the phone page accepts phone numbers like the app: with country code, blanks, Thai or Lao digits', async ({
  page,
}) => {
  const phone = newPhone();
  const localPhone = phone.slice(1);
  for (const typedPhone of [
    `+66 ${localPhone.slice(0, 2)} ${localPhone.slice(2, 5)} ${localPhone.slice(5)}`,
    phone.replace(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit))),
    `(${phone.slice(0, 3)}) ${phone.slice(3)}`.replace(/\d/g, (digit) => String.fromCharCode(0x0ed0 + Number(digit))),
  ]) {
    await page.goto(`${simulatorsUrl()}/#/number`);
    await page.getByLabel('ใส่เบอร์มือถือ').fill(typedPhone);
    await page.getByRole('button', { name: 'บันทึก' }).click();
    await expect(page.getByText(phone, { exact: true })).toBeVisible();
    await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
  }
});

test.describe('the inbox of support', () => {
  const rowByName = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

  test('the support inbox lists waiting customers with waiting time and unread messages, until they are read and answered', async ({
    page,
  }) => {
    const member = await newMember({ name: `รอ ${Date.now() % 1_000_000}` });
    await page.goto(`${simulatorsUrl()}/support?l=en`);
    const row = rowByName(page, member.name);
    await sendChatMessage(member, 'Where is my deposit?');
    await expect(row).toContainText('Answered');
    await expect(row.getByRole('img', { name: '1 unread message' })).toBeVisible();
    const postbackMessage = {
      message_type: 'postback',
      payload: { title: 'Talk to a person', payload: 'topic:person' },
    };
    await api('POST', '/api/chat/send-message', { token: member.token, body: { message: postbackMessage } });
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
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Write an answer').fill('Here it is');
    await page.keyboard.press('Enter');
    await expect(page.locator('#since')).toHaveText('Answered');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await expect(row).toContainText('Answered');
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });

  test('the support inbox shows the waiting time of a customer in the chosen language', async ({ page }) => {
    const member = await newMember({ name: `นาน ${Date.now() % 1_000_000}` });
    await sendChatMessage(member, 'hello');
    const waitText = (ms: number) =>
      page.route('**/support/conversations', async (route) => {
        const conversations = (await (await route.fetch()).json()) as { name: string }[];
        const ownConversations = conversations.filter(({ name }) => name === member.name);
        await route.fulfill({ json: ownConversations.map((wait) => ({ ...wait, waitingSince: Date.now() - ms })) });
      });
    for (const [ms, thaiText, laoText, englishText] of [
      [5 * 60_000, 'รอ 5 นาที', 'ລໍຖ້າ 5 ນາທີ', 'Waiting 5 min'],
      [3 * 3_600_000, 'รอ 3 ชั่วโมง', 'ລໍຖ້າ 3 ຊົ່ວໂມງ', 'Waiting 3 h'],
      [50 * 3_600_000, 'รอ 2 วัน', 'ລໍຖ້າ 2 ມື້', 'Waiting 2 days'],
    ] as const) {
      await waitText(ms);
      for (const [language, expectedText] of Object.entries({ th: thaiText, la: laoText, en: englishText })) {
        await page.goto(`${simulatorsUrl()}/support?l=${language}`);
        await expect(rowByName(page, member.name)).toContainText(expectedText);
      }
    }
  });
});
