import { randomInt } from 'node:crypto';
import { expectCreditUnits, openBothGames } from '../../support/credits.ts';
import { openHome } from '../../support/home.ts';
import { api, newAccountNo, newMember } from '../../support/member.ts';
import { fundWallet, readWallet } from '../../support/money.ts';
import { SmsPhone } from '../../support/phone.ts';
import { readQr } from '../../support/read-qr.ts';
import { expectQrFitsSmallScreens } from '../../support/screen-fit.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { payQr } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import * as walk from '../../support/user-actions.ts';

const translate = translatorFor('la');
const SETTLE_TIMEOUT = { timeout: 30_000 };

type WithdrawLimits = { withdrawMin: number; withdrawMax: number };
/** "₭60,000.00" */
const formatKip = (amount: number): string => `₭${amount.toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

const user: walk.UserProfile = {
  // Eleven digits: a valid phone in Laos, but not in Thailand.
  phone: `0205${randomInt(1_000_000, 10_000_000)}`,
  password: 'Basket-of-gold-9',
  name: 'ແກ້ວຕາ',
  firstName: 'keota',
  lastName: 'thotlong',
  accountNo: newAccountNo(),
  bankCode: 'BCEL',
};

const BANK_NAMES = { la: 'ທະນາຄານການຄ້າຕ່າງປະເທດລາວ', th: 'ธนาคารการค้าต่างประเทศลาว' };

const OPERATOR_ACCOUNT = { bank: BANK_NAMES.la, holder: 'KRAPAO LAO SOLE COMPANY', number: '010120001234567' };

/** @returns options of a select that are wider than its text area */
function findCutOffElements(element: Element): string[] {
  const selectElement = element as HTMLSelectElement;
  const computedStyle = getComputedStyle(selectElement);
  const canvasContext = document.createElement('canvas').getContext('2d');
  if (!canvasContext) throw new Error('no canvas');
  canvasContext.font = computedStyle.font;
  const room =
    selectElement.clientWidth - parseFloat(computedStyle.paddingLeft) - parseFloat(computedStyle.paddingRight);
  return [...selectElement.options]
    .map(({ text }) => text)
    .filter((text) => canvasContext.measureText(text).width > room);
}

// A separate system with an operator's settings for Laos.
useSeparateSystem({ VARIANT: 'lao' });

test.describe('VARIANT=lao', () => {
  test('with VARIANT=lao a number in no Thai or Lao mobile range is refused in words at any length, and nothing is sent [R-I18N-03]', async ({
    page,
  }) => {
    let requestCount = 0;
    page.on('request', (request) => (requestCount += request.url().endsWith('/api/otp/send') ? 1 : 0));
    await page.goto('/register');
    const phone = page.getByLabel(translate('register:phone'));
    for (const typedPhone of ['12345', '021234567', '0212345678', '081234567']) {
      await phone.fill(typedPhone);
      await walk.buttonByName(page, translate('common:next')).click();
      await expect(phone).toHaveAccessibleDescription(translate('register:phoneNotMobile'));
    }
    expect(requestCount).toBe(0);
    await phone.fill('+856 20 5551 2345');
    await expect(phone).toHaveValue('2055512345');
  });

  test('with VARIANT=lao Lao is the default and sets the cookie; a stored choice takes precedence, and only a choice is stored [R-I18N-01] [R-I18N-03]', async ({
    page,
    context,
  }) => {
    const readCookie = async () => (await context.cookies()).find(({ name }) => name === 'language')?.value;
    const readLocale = (): Promise<string | null> => page.evaluate(() => localStorage.getItem('locale'));
    await page.goto('/login');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('login:title'));
    await expect.poll(readCookie).toBe('LA');
    expect(await readLocale()).toBeNull();
    for (const [locale, cookie] of [
      ['th', 'TH'],
      ['en', 'EN'],
    ] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect.poll(readCookie).toBe(cookie);
      expect(await readLocale()).toBe(locale);
      await page.reload();
      await expect(page.locator('html')).toHaveAttribute('lang', locale);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor(locale)('login:title'));
    }
  });

  test('with VARIANT=lao login accepts a number of any length and never asks for ten digits [R-I18N-03]', async ({
    page,
  }) => {
    await page.goto('/login');
    const phone = page.getByLabel(translate('login:phone'));
    for (const typedPhone of ['20551234', '02055512345', '030123456789']) {
      await phone.fill(typedPhone);
      await page.getByLabel(translate('login:password'), { exact: true }).fill('Basket-of-gold-9');
      const loginReply = page.waitForResponse('**/api/login');
      await walk.buttonByName(page, translate('login:submit')).click();
      expect((await loginReply).status(), 'refused by the server, which has no member of that number').toBe(401);
      await expect(page.getByText(translate('errors:errorMsg.WRONG_CREDENTIAL'))).toBeVisible();
      await expect(page.getByText(translate('errors:errorMsg.PHONE_NUMBER_REQUIRE_10_DIGIT'))).toHaveCount(0);
      await phone.fill('');
    }
  });

  test('with VARIANT=lao banks of Laos are listed first, and a member who chose baht sees and pays baht [R-I18N-03]', async ({
    page,
  }) => {
    const banks = (await (await page.request.get('/api/lookup/banks')).json()) as { code: string }[];
    expect(banks[0]?.code).toBe('BCEL');
    const member = await newMember({ bankCode: 'SCB', currency: 'BAHT' });
    await fundWallet(member, 70);
    await signIn(page, member);
    await page.evaluate(() => localStorage.setItem('locale', 'la'));
    await openHome(page);
    await expect(walk.totalBalanceText(page, translate)).toHaveText('70.00');
    await walk.buttonByName(page, translate('home:withdraw')).click();
    const withdrawSheet = walk.dialogByName(page, translate('withdraw:title'));
    await expect(withdrawSheet).toContainText('฿');
    await expect(withdrawSheet).not.toContainText('₭');
    await page.keyboard.press('Escape');
    await walk.buttonByName(page, translate('home:deposit')).click();
    const sheet = walk.dialogByName(page, translate('deposit:title'));
    await expect(walk.depositMethodButtons(sheet, translate, 'qr').first()).toBeVisible();
    await expect(walk.depositMethodButtons(sheet, translate, 'bank').filter({ hasText: BANK_NAMES.la })).toHaveCount(0);
  });
});

test.describe('VARIANT=lao, from registration to payout', () => {
  test('a member registers in Lao, pays in kip by a Lao QR, withdraws to a Lao bank, and reads all amounts with two decimals [R-I18N-03] [R-FMT-01] [R-REG-04]', async ({
    page,
    context,
  }) => {
    // One test covers all actions of a member, on a machine that may be busy.
    test.setTimeout(240_000);
    const ignoreScreen = async (): Promise<void> => {};
    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    const checkScreen = async (name: string): Promise<void> => {
      if (name !== 'register-bank') return;
      const currency = page.getByLabel(translate('register:currency'));
      const currencyNames = (['LAK', 'BAHT'] as const).map(
        (code) => `${translate(`register:currencies.${code}`)} (${code})`,
      );
      await expect(currency.locator('option')).toHaveText(currencyNames);
      await expect(currency).toHaveValue('LAK');
      const bank = page.getByLabel(translate('register:bank'));
      await expect(bank.locator('option[value=BCEL]')).toHaveText(BANK_NAMES.la);
      expect(await bank.evaluate(findCutOffElements)).toEqual([]);
    };
    await walk.registerUser(page, translate, await SmsPhone.open(context), user, checkScreen);
    await walk.logInUser(page, translate, user, ignoreScreen);

    await walk.buttonByName(page, translate('home:deposit')).click();
    const sheet = walk.dialogByName(page, translate('deposit:title'));
    await expect(walk.depositMethodButtons(sheet, translate, 'bank').filter({ hasText: BANK_NAMES.la })).toHaveCount(1);
    await walk.depositMethodButtons(sheet, translate, 'qr').filter({ hasText: BANK_NAMES.la }).click();
    await sheet.getByLabel(translate('deposit:amount')).fill('100000');
    await walk.buttonByName(sheet, translate('deposit:create')).click();
    const qrImage = sheet.getByRole('img', { name: translate('deposit:qrOf', { amount: '₭100,000.00' }) });
    await expectQrFitsSmallScreens(page, sheet, translate, '₭100,000.00');
    await page.setViewportSize({ width: 390, height: 844 });
    let payload: string | undefined;
    await expect
      .poll(async () => (payload = await readQr(await qrImage.screenshot({ animations: 'disabled' }))))
      .toBeTruthy();
    await payQr(payload ?? '', { bankCode: 'BCEL', accountNo: user.accountNo, accountName: 'KEOTA THOTLONG' });
    await expect(sheet.getByText(translate('deposit:arrivedAmount', { amount: '₭100,000.00' }))).toBeVisible(
      SETTLE_TIMEOUT,
    );
    await walk.buttonByName(sheet, translate('deposit:finish')).click();
    await expect(walk.totalBalanceText(page, translate)).toContainText('100,000.00');

    await walk.buttonByName(page, translate('home:withdraw')).click();
    const withdrawSheet = walk.dialogByName(page, translate('withdraw:title'));
    const accountRegion = withdrawSheet.getByRole('region', { name: translate('withdraw:goesTo') });
    await expect(accountRegion).toContainText('KEOTA THOTLONG');
    await expect(accountRegion).toContainText(BANK_NAMES.la);
    const { withdrawMin, withdrawMax } = (await (
      await page.request.get('/api/lookup/withdraw')
    ).json()) as WithdrawLimits;
    const limits = { minimum: formatKip(withdrawMin), maximum: formatKip(withdrawMax) };
    await expect(withdrawSheet.getByText(translate('withdraw:limits', limits))).toBeVisible();
    await withdrawSheet.getByLabel(translate('withdraw:amount')).fill('60000');
    await walk.sendWithdrawal(withdrawSheet, translate);
    // Requested, or already paid: the bank of these tests takes a second.
    await expect(page.getByRole('dialog').filter({ hasText: '₭60,000.00' })).toBeVisible(SETTLE_TIMEOUT);
    await page.reload();
    await expect(walk.totalBalanceText(page, translate)).toContainText('40,000.00', SETTLE_TIMEOUT);

    // Games can leave a fraction of a kip: it is displayed unrounded, because rounding up would show money that doesn't
    // exist.
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const walletReply = (await response.json()) as { wallet: object };
      await route.fulfill({ response, json: { ...walletReply, wallet: { ...walletReply.wallet, amount: 999.5 } } });
    });
    await page.reload();
    await expect(walk.totalBalanceText(page, translate)).toHaveText('999.50', SETTLE_TIMEOUT);

    await page.goto('/user/profile');
    await expect(page.getByRole('main').getByText(BANK_NAMES.la, { exact: true })).toBeVisible();
    await expect(page.getByRole('main').getByText(BANK_NAMES.th, { exact: true })).toBeVisible();
  });

  test('a bank transfer in kip shows bank, holder and the ungrouped number at BCEL; copying confirms or reports failure [R-DEP-02]', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const member = await newMember({ bankCode: 'BCEL', currency: 'LAK' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, member);
    await page.goto('/user/home');
    await walk.buttonByName(page, translate('home:deposit')).click();
    const sheet = walk.dialogByName(page, translate('deposit:title'));
    await walk.depositMethodButtons(sheet, translate, 'bank').filter({ hasText: OPERATOR_ACCOUNT.bank }).click();
    for (const text of Object.values(OPERATOR_ACCOUNT))
      await expect(sheet.getByRole('definition').filter({ hasText: text })).toBeVisible();
    await walk.buttonByName(sheet, translate('deposit:copyNumber')).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(
      translate('parts:copied', { text: OPERATOR_ACCOUNT.number }),
    );
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(OPERATOR_ACCOUNT.number);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
      Object.assign(document, { execCommand: () => false });
    });
    await walk.buttonByName(sheet, translate('deposit:copyNumber')).click();
    await expect(page.locator('[data-toast=danger]')).toHaveText(translate('parts:copyFailed'));
  });
});

test.describe('VARIANT=lao, a game that counts in credits', () => {
  test('with VARIANT=lao a game in credits shows what ₭1 is worth there, and the converted amount, in Lao', async ({
    page,
  }) => {
    const member = await newMember({ currency: 'LAK', bankCode: 'BCEL' });
    const { token } = member;
    const { body } = await api<{ payload: string }>('POST', '/api/qrcode/BCEL', { token, body: { amount: 2_000 } });
    const bankPayer = { bankCode: 'BCEL', accountNo: member.bankAccountNo, accountName: 'SOMYING THOTSOP' };
    await payQr(body.payload, bankPayer);
    await expect.poll(async () => (await readWallet(member)).wallet.amount).toBe(2_000);
    await openBothGames(member);
    await signIn(page, member);
    await expectCreditUnits(page, 'la', '₭');
  });
});
