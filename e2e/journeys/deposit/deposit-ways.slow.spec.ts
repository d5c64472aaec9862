import type { Locator, Page } from '@playwright/test';
import {
  gatewayNames,
  backToDepositMethods,
  openDepositSheet,
  openDepositMethod,
  qrImage,
} from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, depositMethodButtons } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const PORTRAIT_SIZE = { width: 390, height: 844 };
const LANDSCAPE_SIZE = { width: 844, height: 390 };

type DepositAccount = {
  bankCode: string;
  bankType: 'PAYMENT' | 'BANK';
  bankAccountNo: string;
  bank: { nameTH: string };
  currency: string;
  minimum: number | null;
};
type DepositMethods = { banks: DepositAccount[]; wallets: { mode: string }[]; isManual: boolean };

const readLookup = async (): Promise<DepositMethods> => (await api<DepositMethods>('GET', '/api/lookup/deposit')).body;
const amountField = (sheet: Locator) => sheet.getByLabel(translate('deposit:amount'));
const createButton = (sheet: Locator) => buttonByName(sheet, translate('deposit:create'));
const quickAmounts = (sheet: Locator) =>
  sheet.getByRole('group', { name: translate('common:quickAmounts') }).getByRole('button');

/** Changes a look-up's reply before it reaches the page. */
async function changeReply(page: Page, path: string, change: (reply: never) => void): Promise<void> {
  await page.route(`**/api/lookup/${path}`, async (route) => {
    const response = await route.fetch();
    const reply: unknown = await response.json();
    change(reply as never);
    await route.fulfill({ response, json: reply });
  });
}

test.describe('methods of deposit', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test("the deposit dialog offers the methods of the member's currency, each in its own panel [R-DEP-01]", async ({
    memberPage,
  }) => {
    const { banks, wallets, isManual } = await readLookup();
    const readMethodNames = (type: string) =>
      gatewayNames(
        banks.filter((bank) => bank.currency === 'BAHT' && bank.bankType === type),
        ({ bank }) => bank.nameTH,
        translate('deposit:promptPay'),
      );
    const walletNames = wallets.map(({ mode }) =>
      translate(mode === 'AUTO' ? 'deposit:walletApp' : 'deposit:giftLink'),
    );
    const expected = [
      ['qr', readMethodNames('PAYMENT')],
      ['bank', readMethodNames('BANK')],
      ['wallet', walletNames],
      ['slip', isManual ? [translate('deposit:slip')] : []],
    ] as const;
    const sheet = await openDepositSheet(memberPage);
    for (const [methodKind, methodTitles] of expected) {
      await expect(depositMethodButtons(sheet, translate, methodKind)).toHaveCount(methodTitles.length);
      for (const [index, title] of methodTitles.entries()) {
        await depositMethodButtons(sheet, translate, methodKind).nth(index).click();
        await expect(sheet.getByRole('heading', { level: 3 })).toHaveText(title);
        await backToDepositMethods(sheet);
        await expect(depositMethodButtons(sheet, translate, methodKind).nth(index)).toBeFocused();
      }
    }
    for (const { bank } of banks.filter(({ currency }) => currency === 'LAK'))
      await expect(sheet).not.toContainText(bank.nameTH);
  });

  test('turning the phone keeps the open method, the typed amount and the focus', async ({ memberPage: page }) => {
    const gateway = 'QR พร้อมเพย์ 2';
    const sheet = await openDepositMethod(page, 'qr', gateway);
    await amountField(sheet).fill('123.45');
    for (const size of [LANDSCAPE_SIZE, PORTRAIT_SIZE]) {
      await page.setViewportSize(size);
      await expect(depositMethodButtons(sheet, translate, 'qr')).toHaveCount(size === PORTRAIT_SIZE ? 0 : 4);
      await expect(sheet.getByRole('heading', { level: 3, name: gateway })).toBeVisible();
      await expect(amountField(sheet)).toHaveValue('123.45');
      await expect(amountField(sheet)).toBeFocused();
    }
  });

  test('the deposit dialog opens the method last used in this visit', async ({ memberPage }) => {
    await openDepositMethod(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    await memberPage.keyboard.press('Escape');
    const sheet = await openDepositSheet(memberPage);
    await expect(sheet.getByRole('heading', { level: 3 })).toHaveText('ธนาคารไทยพาณิชย์');
    await memberPage.reload();
    const fresh = await openDepositSheet(memberPage);
    await expect(depositMethodButtons(fresh, translate, 'qr').first()).toBeVisible();
  });

  test('an account that the operator has changed since the look-up is no longer shown', async ({ memberPage }) => {
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    await changeReply(memberPage, 'deposit', ({ banks }: DepositMethods) => {
      for (const account of banks) if (account.bankCode === 'SCB') account.bankAccountNo = '9876543210';
    });
    await memberPage.keyboard.press('Escape');
    await openDepositSheet(memberPage);
    await depositMethodButtons(sheet, translate, 'bank').filter({ hasText: 'ธนาคารไทยพาณิชย์' }).click();
    await expect(sheet.getByRole('definition').filter({ hasText: '987-654-3210' })).toBeVisible();
  });

  test('WW and PAYONEX have quick amounts, and a disabled button below 100 [R-QR-02]', async ({ memberPage }) => {
    let sheet = await openDepositSheet(memberPage);
    for (const name of ['QR พร้อมเพย์', 'QR พร้อมเพย์ 3']) {
      await depositMethodButtons(sheet, translate, 'qr').filter({ hasText: name }).first().click();
      await expect(quickAmounts(sheet)).toHaveText(['100', '200', '300', '500', '1,000']);
      for (const tooSmallAmount of ['', '0', '99', '99.99']) {
        await amountField(sheet).fill(tooSmallAmount);
        await expect(createButton(sheet)).toBeDisabled();
      }
      await amountField(sheet).fill('100');
      await expect(createButton(sheet)).toBeEnabled();
      await quickAmounts(sheet).nth(1).click();
      await expect(amountField(sheet)).toHaveValue('200');
      await backToDepositMethods(sheet);
      sheet = memberPage.getByRole('dialog');
    }
  });

  test("FP has quick amounts, and a disabled button below 10; the operator's minimum is the first quick amount [R-QR-03]", async ({
    memberPage,
  }) => {
    const sheet = await openDepositMethod(memberPage, 'qr', 'QR พร้อมเพย์ 2');
    await expect(quickAmounts(sheet)).toHaveText(['10', '50', '100', '500', '1,000']);
    await amountField(sheet).fill('9.99');
    await expect(createButton(sheet)).toBeDisabled();
    await amountField(sheet).fill('10');
    await expect(createButton(sheet)).toBeEnabled();

    await changeReply(memberPage, 'deposit', ({ banks }: DepositMethods) => {
      for (const account of banks) if (account.bankCode === 'FP') account.minimum = 25;
    });
    await memberPage.reload();
    const changedSheet = await openDepositMethod(memberPage, 'qr', 'QR พร้อมเพย์ 2');
    await expect(quickAmounts(changedSheet)).toHaveText(['25', '50', '100', '500', '1,000']);
    await amountField(changedSheet).fill('24.99');
    await expect(createButton(changedSheet)).toBeDisabled();
    await quickAmounts(changedSheet).first().click();
    await expect(createButton(changedSheet)).toBeEnabled();
  });

  test('a minimum at FP above other quick amounts replaces only the first of them [R-QR-03]', async ({
    memberPage,
  }) => {
    for (const [minimumAmount, amounts] of [
      [60, ['60', '50', '100', '500', '1,000']],
      [100, ['100', '50', '500', '1,000']],
    ] as const) {
      await changeReply(memberPage, 'deposit', ({ banks }: DepositMethods) => {
        for (const account of banks) if (account.bankCode === 'FP') account.minimum = minimumAmount;
      });
      await memberPage.reload();
      const sheet = await openDepositMethod(memberPage, 'qr', 'QR พร้อมเพย์ 2');
      await expect(quickAmounts(sheet)).toHaveText(amounts);
      await quickAmounts(sheet).nth(1).click();
      await expect(createButton(sheet)).toBeDisabled();
    }
  });
});

test.describe('deposit methods that change while they are open', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a QR created at one gateway makes the other methods reload theirs [R-QR-06]', async ({ memberPage }) => {
    const sheet = await openDepositMethod(memberPage, 'qr', 'ธนาคารกสิกรไทย');
    await amountField(sheet).fill('35');
    const nameRequests = ['WW', 'FP', 'PAYONEX'].map((code) =>
      memberPage.waitForRequest(
        (request) => request.method() === 'GET' && request.url().endsWith(`/api/qrcode/${code}`),
      ),
    );
    await createButton(sheet).click();
    await expect(qrImage(sheet, '35.00')).toBeVisible();
    await Promise.all(nameRequests);
    await backToDepositMethods(sheet);
    await expect(depositMethodButtons(sheet, translate, 'qr').first()).toContainText(translate('deposit:waiting'));
  });

  test('a gateway that changes the amount: the amount to pay is large, the requested one is explained', async ({
    memberPage,
  }) => {
    const sheet = await openDepositMethod(memberPage, 'qr', 'ธนาคารกสิกรไทย');
    await memberPage.route('**/api/qrcode/KBANK', async (route) => {
      const response = await route.fetch();
      const qr = (await response.json()) as { hasQrcode: boolean };
      await route.fulfill({ response, json: qr.hasQrcode ? { ...qr, amount: 100.03, requested: 100 } : qr });
    });
    await amountField(sheet).fill('100');
    await createButton(sheet).click();
    await expect(qrImage(sheet, '100.03')).toBeVisible();
    await expect(
      sheet.getByText(translate('deposit:changedAmount', { requested: '฿100.00', amount: '฿100.03' })),
    ).toBeVisible();
  });

  test('texts of deposit methods contain the values that the operator has set [R-DEP-05]', async ({ memberPage }) => {
    await changeReply(memberPage, 'deposit', (reply: DepositMethods) => {
      reply.isManual = true;
      for (const account of reply.banks) if (account.bankCode === 'KBANK') account.minimum = 15;
    });
    const slipHours = { closedFrom: '23:30', closedTo: '00:30', expireMinutes: 60 };
    await changeReply(memberPage, 'slip', (reply: object) => Object.assign(reply, slipHours, { isOpen: true }));
    await memberPage.reload();
    const sheet = await openDepositMethod(memberPage, 'qr', 'ธนาคารกสิกรไทย');
    await expect(sheet).toContainText('เงินเข้ากระเป๋าภายใน 1 นาที');
    await expect(sheet).toContainText(translate('deposit:onceOnly'));
    await expect(sheet).toContainText('ฝากได้ตั้งแต่ ฿15.00 ถึง ฿200,000.00');
    await backToDepositMethods(sheet);
    await depositMethodButtons(sheet, translate, 'bank').first().click();
    await expect(sheet).toContainText('เงินเข้ากระเป๋าอัตโนมัติภายใน 1 นาที');
    await expect(sheet).toContainText('สลิปใช้ได้ภายใน 1 ชั่วโมง หลังโอน');
    await expect(sheet).toContainText('งดรับสลิปทุกวัน 23:30 ถึง 00:30 น.');
    Object.assign(slipHours, { closedFrom: '22:00', closedTo: '22:45', expireMinutes: 45 });
    await backToDepositMethods(sheet);
    await depositMethodButtons(sheet, translate, 'slip').click();
    await expect(sheet).toContainText('สลิปใช้ได้ภายใน 45 นาที หลังโอน');
    await expect(sheet).toContainText('งดรับสลิปทุกวัน 22:00 ถึง 22:45 น.');
  });
});
