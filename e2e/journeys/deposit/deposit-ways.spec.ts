import type { Locator, Page } from '@playwright/test';
import { backToWays, openDeposit, openWay, qrOf } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { expect, test } from '../../support/test.ts';
import { button, ways } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const PORTRAIT = { width: 390, height: 844 };
const LANDSCAPE = { width: 844, height: 390 };

type Account = {
  bankCode: string;
  bankType: 'PAYMENT' | 'BANK';
  bankAccountNo: string;
  bank: { nameTH: string };
  currency: string;
  minimum: number | null;
};
type Lookup = { banks: Account[]; wallets: { mode: string }[]; isManual: boolean };

const lookup = async (): Promise<Lookup> => (await api<Lookup>('GET', '/api/lookup/deposit')).body;
const amountField = (sheet: Locator) => sheet.getByLabel(say('deposit:amount'));
const create = (sheet: Locator) => button(sheet, say('deposit:create'));
const quickAmounts = (sheet: Locator) =>
  sheet.getByRole('group', { name: say('common:quickAmounts') }).getByRole('button');

/** Changes what a look-up answers, on its way to the page. */
async function answering(page: Page, path: string, change: (answer: never) => void): Promise<void> {
  await page.route(`**/api/lookup/${path}`, async (route) => {
    const response = await route.fetch();
    const answer: unknown = await response.json();
    change(answer as never);
    await route.fulfill({ response, json: answer });
  });
}

test.describe('ways to deposit', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('the dialog offers what the look-up lists for the member’s currency, each in a panel of its own [R-DEP-01]', async ({
    memberPage,
  }) => {
    const { banks, wallets, isManual } = await lookup();
    const names = (type: string) =>
      banks.filter((one) => one.currency === 'BAHT' && one.bankType === type).map(({ bank }) => bank.nameTH);
    const walletNames = wallets.map(({ mode }) => say(mode === 'AUTO' ? 'deposit:walletApp' : 'deposit:giftLink'));
    const expected = [
      ['qr', names('PAYMENT')],
      ['bank', names('BANK')],
      ['wallet', walletNames],
      ['slip', isManual ? [say('deposit:slip')] : []],
    ] as const;
    const sheet = await openDeposit(memberPage);
    for (const [kind, titles] of expected) {
      await expect(ways(sheet, say, kind)).toHaveCount(titles.length);
      for (const [index, title] of titles.entries()) {
        await ways(sheet, say, kind).nth(index).click();
        await expect(sheet.getByRole('heading', { level: 3 })).toHaveText(title);
        await backToWays(sheet);
        await expect(ways(sheet, say, kind).nth(index)).toBeFocused();
      }
    }
    for (const { bank } of banks.filter(({ currency }) => currency === 'LAK'))
      await expect(sheet).not.toContainText(bank.nameTH);
  });

  test('turning the phone keeps the way that is open, the amount that is typed and its focus', async ({
    memberPage: page,
  }) => {
    const gateway = 'QR FP';
    const sheet = await openWay(page, 'qr', gateway);
    await amountField(sheet).fill('123.45');
    for (const size of [LANDSCAPE, PORTRAIT]) {
      await page.setViewportSize(size);
      await expect(ways(sheet, say, 'qr')).toHaveCount(size === PORTRAIT ? 0 : 4);
      await expect(sheet.getByRole('heading', { level: 3, name: gateway })).toBeVisible();
      await expect(amountField(sheet)).toHaveValue('123.45');
      await expect(amountField(sheet)).toBeFocused();
    }
  });

  test('the dialog begins with the way that was used last in this visit', async ({ memberPage }) => {
    await openWay(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    await memberPage.keyboard.press('Escape');
    const sheet = await openDeposit(memberPage);
    await expect(sheet.getByRole('heading', { level: 3 })).toHaveText('ธนาคารไทยพาณิชย์');
    await memberPage.reload();
    const fresh = await openDeposit(memberPage);
    await expect(ways(fresh, say, 'qr').first()).toBeVisible();
  });

  test('an account that the operator has changed meanwhile is not shown again', async ({ memberPage }) => {
    const sheet = await openWay(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    await answering(memberPage, 'deposit', ({ banks }: Lookup) => {
      for (const account of banks) if (account.bankCode === 'SCB') account.bankAccountNo = '9876543210';
    });
    await memberPage.keyboard.press('Escape');
    await openDeposit(memberPage);
    await ways(sheet, say, 'bank').filter({ hasText: 'ธนาคารไทยพาณิชย์' }).click();
    await expect(sheet.getByRole('definition').filter({ hasText: '987-654-3210' })).toBeVisible();
  });

  test('WW and PAYONEX: quick amounts, and nothing to press below 100 [R-QR-02]', async ({ memberPage }) => {
    let sheet = await openDeposit(memberPage);
    for (const name of ['QR WW', 'QR PAYONEX']) {
      await ways(sheet, say, 'qr').filter({ hasText: name }).click();
      await expect(quickAmounts(sheet)).toHaveText(['100', '200', '300', '500', '1,000']);
      for (const tooLittle of ['', '0', '99', '99.99']) {
        await amountField(sheet).fill(tooLittle);
        await expect(create(sheet)).toBeDisabled();
      }
      await amountField(sheet).fill('100');
      await expect(create(sheet)).toBeEnabled();
      await quickAmounts(sheet).nth(1).click();
      await expect(amountField(sheet)).toHaveValue('200');
      await backToWays(sheet);
      sheet = memberPage.getByRole('dialog');
    }
  });

  test('FP: quick amounts, and nothing to press below 10; another minimum of the operator also stands first [R-QR-03]', async ({
    memberPage,
  }) => {
    const sheet = await openWay(memberPage, 'qr', 'QR FP');
    await expect(quickAmounts(sheet)).toHaveText(['10', '50', '100', '500', '1,000']);
    await amountField(sheet).fill('9.99');
    await expect(create(sheet)).toBeDisabled();
    await amountField(sheet).fill('10');
    await expect(create(sheet)).toBeEnabled();

    await answering(memberPage, 'deposit', ({ banks }: Lookup) => {
      for (const account of banks) if (account.bankCode === 'FP') account.minimum = 25;
    });
    await memberPage.reload();
    const changed = await openWay(memberPage, 'qr', 'QR FP');
    await expect(quickAmounts(changed)).toHaveText(['25', '50', '100', '500', '1,000']);
    await amountField(changed).fill('24.99');
    await expect(create(changed)).toBeDisabled();
    await quickAmounts(changed).first().click();
    await expect(create(changed)).toBeEnabled();
  });

  test('FP: a minimum above other quick amounts replaces the first of them alone [R-QR-03]', async ({ memberPage }) => {
    for (const [minimum, amounts] of [
      [60, ['60', '50', '100', '500', '1,000']],
      [100, ['100', '50', '500', '1,000']],
    ] as const) {
      await answering(memberPage, 'deposit', ({ banks }: Lookup) => {
        for (const account of banks) if (account.bankCode === 'FP') account.minimum = minimum;
      });
      await memberPage.reload();
      const sheet = await openWay(memberPage, 'qr', 'QR FP');
      await expect(quickAmounts(sheet)).toHaveText(amounts);
      await quickAmounts(sheet).nth(1).click();
      await expect(create(sheet)).toBeDisabled();
    }
  });
});

test.describe('ways that change meanwhile', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a QR made at one gateway makes the others ask for theirs again [R-QR-06]', async ({ memberPage }) => {
    const sheet = await openWay(memberPage, 'qr', 'ธนาคารกสิกรไทย');
    await amountField(sheet).fill('35');
    const asked = ['WW', 'FP', 'PAYONEX'].map((code) =>
      memberPage.waitForRequest(
        (request) => request.method() === 'GET' && request.url().endsWith(`/api/qrcode/${code}`),
      ),
    );
    await create(sheet).click();
    await expect(qrOf(sheet, '35.00')).toBeVisible();
    await Promise.all(asked);
    await backToWays(sheet);
    await expect(ways(sheet, say, 'qr').first()).toContainText(say('deposit:waiting'));
  });

  test('a gateway that changes the amount: what to pay stands large, what was asked is explained', async ({
    memberPage,
  }) => {
    const sheet = await openWay(memberPage, 'qr', 'ธนาคารกสิกรไทย');
    await memberPage.route('**/api/qrcode/KBANK', async (route) => {
      const response = await route.fetch();
      const qr = (await response.json()) as { hasQrcode: boolean };
      await route.fulfill({ response, json: qr.hasQrcode ? { ...qr, amount: 100.03, requested: 100 } : qr });
    });
    await amountField(sheet).fill('100');
    await create(sheet).click();
    await expect(qrOf(sheet, '100.03')).toBeVisible();
    await expect(
      sheet.getByText(say('deposit:changedAmount', { requested: '฿100.00', amount: '฿100.03' })),
    ).toBeVisible();
  });

  test('the texts are filled in with what the operator has set [R-DEP-05]', async ({ memberPage }) => {
    await answering(memberPage, 'deposit', (answer: Lookup) => {
      answer.isManual = true;
      for (const account of answer.banks) if (account.bankCode === 'KBANK') account.minimum = 15;
    });
    const times = { closedFrom: '23:30', closedTo: '00:30', expireMinutes: 60 };
    await answering(memberPage, 'slip', (answer: object) => Object.assign(answer, times, { isOpen: true }));
    await memberPage.reload();
    const sheet = await openWay(memberPage, 'qr', 'ธนาคารกสิกรไทย');
    await expect(sheet).toContainText('เงินเข้ากระเป๋าภายใน 1 นาที');
    await expect(sheet).toContainText(say('deposit:onceOnly'));
    await expect(sheet).toContainText('ฝากได้ตั้งแต่ ฿15.00 ถึง ฿200,000.00');
    await backToWays(sheet);
    await ways(sheet, say, 'bank').first().click();
    await expect(sheet).toContainText('เงินเข้ากระเป๋าอัตโนมัติภายใน 1 นาที');
    await expect(sheet).toContainText('สลิปใช้ได้ภายใน 1 ชั่วโมง หลังโอน');
    await expect(sheet).toContainText('งดรับสลิปทุกวัน 23:30 ถึง 00:30 น.');
    Object.assign(times, { closedFrom: '22:00', closedTo: '22:45', expireMinutes: 45 });
    await backToWays(sheet);
    await ways(sheet, say, 'slip').click();
    await expect(sheet).toContainText('สลิปใช้ได้ภายใน 45 นาที หลังโอน');
    await expect(sheet).toContainText('งดรับสลิปทุกวัน 22:00 ถึง 22:45 น.');
  });
});
