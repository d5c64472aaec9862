import { randomInt } from 'node:crypto';
import { expectUnits, openBothGames } from '../../support/credits.ts';
import { openHome } from '../../support/home.ts';
import { api, newAccountNo, newMember } from '../../support/member.ts';
import { fund, walletOf } from '../../support/money.ts';
import { expectQrFits } from '../../support/fits.ts';
import { readQr } from '../../support/read-qr.ts';
import { payQr } from '../../support/outside.ts';
import { Phone } from '../../support/phone.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import * as walk from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('la');
const PATIENCE = { timeout: 30_000 };

type Limits = { withdrawMin: number; withdrawMax: number };
/** "₭60,000.00" */
const inKip = (amount: number): string => `₭${amount.toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

const person: walk.Person = {
  // Eleven digits, as a phone in Laos has and none in Thailand.
  phone: `0205${randomInt(1_000_000, 10_000_000)}`,
  password: 'Basket-of-gold-9',
  name: 'ແກ້ວຕາ',
  firstName: 'keota',
  lastName: 'thotlong',
  accountNo: newAccountNo(),
  bankCode: 'BCEL',
};

const BANK = { la: 'ທະນາຄານການຄ້າຕ່າງປະເທດລາວ', th: 'ธนาคารการค้าต่างประเทศลาว' };

const ACCOUNT = { bank: BANK.la, holder: 'KRAPAO LAO SOLE COMPANY', number: '010120001234567' };

/** @returns the options of a select that are wider than its text has room for */
function cutOff(element: Element): string[] {
  const select = element as HTMLSelectElement;
  const style = getComputedStyle(select);
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) throw new Error('no canvas');
  pen.font = style.font;
  const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return [...select.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > room);
}

// A system of its own, as an operator in Laos starts it.
ownSystem({ VARIANT: 'lao' });

test.describe('VARIANT=lao', () => {
  test('a number that no Thai or Lao mobile phone has is refused in words, whatever its length, and nothing is sent [R-I18N-03]', async ({
    page,
  }) => {
    let sent = 0;
    page.on('request', (request) => (sent += request.url().endsWith('/api/otp/send') ? 1 : 0));
    await page.goto('/register');
    const phone = page.getByLabel(say('register:phone'));
    for (const typed of ['12345', '021234567', '0212345678', '081234567']) {
      await phone.fill(typed);
      await walk.button(page, say('common:next')).click();
      await expect(phone).toHaveAccessibleDescription(say('register:phoneNotMobile'));
    }
    expect(sent).toBe(0);
    await phone.fill('+856 20 5551 2345');
    await expect(phone).toHaveValue('2055512345');
  });

  test('Lao comes first and sets the cookie; a stored choice comes before it, and only a choice is stored [R-I18N-01] [R-I18N-03]', async ({
    page,
    context,
  }) => {
    const cookieNow = async () => (await context.cookies()).find(({ name }) => name === 'language')?.value;
    const stored = (): Promise<string | null> => page.evaluate(() => localStorage.getItem('locale'));
    await page.goto('/login');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('login:title'));
    await expect.poll(cookieNow).toBe('LA');
    expect(await stored()).toBeNull();
    for (const [locale, cookie] of [
      ['th', 'TH'],
      ['en', 'EN'],
    ] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect.poll(cookieNow).toBe(cookie);
      expect(await stored()).toBe(locale);
      await page.reload();
      await expect(page.locator('html')).toHaveAttribute('lang', locale);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(speaking(locale)('login:title'));
    }
  });

  test('login accepts a number of any length and never asks for ten digits [R-I18N-03]', async ({ page }) => {
    await page.goto('/login');
    const phone = page.getByLabel(say('login:phone'));
    for (const typed of ['20551234', '02055512345', '030123456789']) {
      await phone.fill(typed);
      await page.getByLabel(say('login:password'), { exact: true }).fill('Basket-of-gold-9');
      const answered = page.waitForResponse('**/api/login');
      await walk.button(page, say('login:submit')).click();
      expect((await answered).status(), 'refused by the server, which has no member of that number').toBe(401);
      await expect(page.getByText(say('errors:errorMsg.WRONG_CREDENTIAL'))).toBeVisible();
      await expect(page.getByText(say('errors:errorMsg.PHONE_NUMBER_REQUIRE_10_DIGIT'))).toHaveCount(0);
      await phone.fill('');
    }
  });

  test('banks of Laos are listed first, and a member who chose baht reads and pays baht [R-I18N-03]', async ({
    page,
  }) => {
    const banks = (await (await page.request.get('/api/lookup/banks')).json()) as { code: string }[];
    expect(banks[0]?.code).toBe('BCEL');
    const member = await newMember({ bankCode: 'SCB', currency: 'BAHT' });
    await fund(member, 70);
    await signIn(page, member);
    await page.evaluate(() => localStorage.setItem('locale', 'la'));
    await openHome(page);
    await expect(walk.total(page, say)).toHaveText('70.00');
    await walk.button(page, say('home:withdraw')).click();
    const out = walk.dialog(page, say('withdraw:title'));
    await expect(out).toContainText('฿');
    await expect(out).not.toContainText('₭');
    await page.keyboard.press('Escape');
    await walk.button(page, say('home:deposit')).click();
    const sheet = walk.dialog(page, say('deposit:title'));
    await expect(walk.ways(sheet, say, 'qr').first()).toBeVisible();
    await expect(walk.ways(sheet, say, 'bank').filter({ hasText: BANK.la })).toHaveCount(0);
  });
});

test.describe('VARIANT=lao, from registration to payout', () => {
  test('a member registers in Lao, pays in kip by a Lao QR, has kip paid out to a Lao bank of one name on every screen, and reads all amounts and limits with two decimals [R-I18N-03] [R-FMT-01] [R-REG-04]', async ({
    page,
    context,
  }) => {
    // A whole life in one test, on a machine that may be busy.
    test.setTimeout(240_000);
    const quietly = async (): Promise<void> => {};
    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    const seen = async (name: string): Promise<void> => {
      if (name !== 'register-bank') return;
      const currency = page.getByLabel(say('register:currency'));
      const named = (['LAK', 'BAHT'] as const).map((code) => `${say(`register:currencies.${code}`)} (${code})`);
      await expect(currency.locator('option')).toHaveText(named);
      await expect(currency).toHaveValue('LAK');
      const bank = page.getByLabel(say('register:bank'));
      await expect(bank.locator('option[value=BCEL]')).toHaveText(BANK.la);
      expect(await bank.evaluate(cutOff)).toEqual([]);
    };
    await walk.register(page, say, await Phone.open(context), person, seen);
    await walk.logIn(page, say, person, quietly);

    await walk.button(page, say('home:deposit')).click();
    const sheet = walk.dialog(page, say('deposit:title'));
    await expect(walk.ways(sheet, say, 'bank').filter({ hasText: BANK.la })).toHaveCount(1);
    await walk.ways(sheet, say, 'qr').filter({ hasText: BANK.la }).click();
    await sheet.getByLabel(say('deposit:amount')).fill('100000');
    await walk.button(sheet, say('deposit:create')).click();
    const picture = sheet.getByRole('img', { name: say('deposit:qrOf', { amount: '₭100,000.00' }) });
    await expectQrFits(page, sheet, say, '₭100,000.00');
    await page.setViewportSize({ width: 390, height: 844 });
    let payload: string | undefined;
    await expect
      .poll(async () => (payload = await readQr(await picture.screenshot({ animations: 'disabled' }))))
      .toBeTruthy();
    await payQr(payload ?? '', { bankCode: 'BCEL', accountNo: person.accountNo, accountName: 'KEOTA THOTLONG' });
    await expect(sheet.getByText(say('deposit:arrivedAmount', { amount: '₭100,000.00' }))).toBeVisible(PATIENCE);
    await walk.button(sheet, say('deposit:finish')).click();
    await expect(walk.total(page, say)).toContainText('100,000.00');

    await walk.button(page, say('home:withdraw')).click();
    const out = walk.dialog(page, say('withdraw:title'));
    const goesTo = out.getByRole('region', { name: say('withdraw:goesTo') });
    await expect(goesTo).toContainText('KEOTA THOTLONG');
    await expect(goesTo).toContainText(BANK.la);
    const { withdrawMin, withdrawMax } = (await (await page.request.get('/api/lookup/withdraw')).json()) as Limits;
    const limits = { minimum: inKip(withdrawMin), maximum: inKip(withdrawMax) };
    await expect(out.getByText(say('withdraw:limits', limits))).toBeVisible();
    await out.getByLabel(say('withdraw:amount')).fill('60000');
    await walk.button(out, say('withdraw:submit')).click();
    // That it is asked for, or that it is paid already: the bank of these tests takes a second.
    await expect(page.getByRole('dialog').filter({ hasText: '₭60,000.00' })).toBeVisible(PATIENCE);
    await page.reload();
    await expect(walk.total(page, say)).toContainText('40,000.00', PATIENCE);

    // What games can leave: a fraction is shown as it is, not rounded to money that is not there.
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const picture = (await response.json()) as { wallet: object };
      await route.fulfill({ response, json: { ...picture, wallet: { ...picture.wallet, amount: 999.5 } } });
    });
    await page.reload();
    await expect(walk.total(page, say)).toHaveText('999.50', PATIENCE);

    await page.goto('/user/profile');
    await expect(page.getByRole('main').getByText(BANK.la, { exact: true })).toBeVisible();
    await expect(page.getByRole('main').getByText(BANK.th, { exact: true })).toBeVisible();
  });

  test('deposit by bank transfer: the account at BCEL shows bank, holder and number as it is; copying says so, or that it failed [R-DEP-02]', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const member = await newMember({ bankCode: 'BCEL', currency: 'LAK' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, member);
    await page.goto('/user/home');
    await walk.button(page, say('home:deposit')).click();
    const sheet = walk.dialog(page, say('deposit:title'));
    await walk.ways(sheet, say, 'bank').filter({ hasText: ACCOUNT.bank }).click();
    for (const text of Object.values(ACCOUNT))
      await expect(sheet.getByRole('definition').filter({ hasText: text })).toBeVisible();
    await walk.button(sheet, say('deposit:copyNumber')).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(say('parts:copied', { text: ACCOUNT.number }));
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(ACCOUNT.number);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
      Object.assign(document, { execCommand: () => false });
    });
    await walk.button(sheet, say('deposit:copyNumber')).click();
    await expect(page.locator('[data-toast=danger]')).toHaveText(say('parts:copyFailed'));
  });
});

test.describe('VARIANT=lao, a game that counts in credits', () => {
  test('says what ₭1 is there, and what an amount becomes, in Lao', async ({ page }) => {
    const member = await newMember({ currency: 'LAK', bankCode: 'BCEL' });
    const { token } = member;
    const { body } = await api<{ payload: string }>('POST', '/api/qrcode/BCEL', { token, body: { amount: 2_000 } });
    const payer = { bankCode: 'BCEL', accountNo: member.bankAccountNo, accountName: 'SOMYING THOTSOP' };
    await payQr(body.payload, payer);
    await expect.poll(async () => (await walletOf(member)).wallet.amount).toBe(2_000);
    await openBothGames(member);
    await signIn(page, member);
    await expectUnits(page, 'la', '₭');
  });
});
