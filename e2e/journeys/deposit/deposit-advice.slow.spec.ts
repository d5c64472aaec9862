import type { Locator, Page } from '@playwright/test';
import { advising, card, type Lookup, payByQr, question, usedNow } from '../../support/deposit-advice.ts';
import { depositSheet, gatewayNames, openDepositSheet, qrImage } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, depositMethodButtons } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const LANGUAGES = ['th', 'la', 'en'] as const;
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const;

const NAMES = { th: 'nameTH', la: 'nameLA', en: 'nameEN' } as const;

/** Adds up what moves from now on without an act of the person. */
const countShifts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const counted = Object.assign(globalThis, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) counted.shifted += entry.value;
    }).observe({ type: 'layout-shift' });
  });

const notes = (sheet: Locator): Locator => sheet.locator('form').getByRole('status');
const noQr = {
  hasQrcode: false,
  qrcodeId: null,
  qrcode: null,
  payload: null,
  amount: null,
  requested: null,
  expireIn: null,
  message: 'QR_FAIL',
  payee: null,
};

for (const language of LANGUAGES)
  for (const size of SIZES)
    test(`the deposit asks for the amount first, recommends one method with its reason, and lists the others [R-WALLET-01] ${language} at ${size.width}`, async ({
      memberPage: page,
    }) => {
      const translate = translatorFor(language);
      await page.setViewportSize(size);
      await advising(page, {
        'qr FP': usedNow({ medianSeconds: 40, samples: 9 }),
        'qr KBANK': { samples: 9, medianSeconds: 5 },
      });
      await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
      await openHome(page);
      await countShifts(page);
      await buttonByName(page, translate('home:deposit')).click();
      const sheet = dialogByName(page, translate('deposit:title'));
      await expect(card(sheet, translate('deposit:advice.payByQr'))).toBeDisabled();
      await question(sheet, translate).fill('500');
      const pay = card(sheet, payByQr('฿500.00', translate));
      await expect(pay).toContainText(translate('deposit:advice.reason.LAST_USED'));
      await expect(pay).toContainText(translate('money:usualTime.seconds', { seconds: 40 }));
      await expect(pay).toContainText(translate('deposit:advice.anyBankApp'));
      await expect(pay).toContainText(`${translate('deposit:promptPay')} 2`);
      const { banks, wallets, isManual } = (await api<Lookup>('GET', '/api/lookup/deposit')).body;
      const namesOf = (type: string): string[] =>
        gatewayNames(
          banks.filter((one) => one.currency === 'BAHT' && one.bankType === type),
          ({ bank }) => bank[NAMES[language]] ?? '',
          translate('deposit:promptPay'),
        );
      const listed = [
        ['qr', namesOf('PAYMENT')],
        ['bank', namesOf('BANK')],
        ['wallet', wallets.map(({ mode }) => translate(`deposit:${mode === 'AUTO' ? 'walletApp' : 'giftLink'}`))],
        ['slip', isManual ? [translate('deposit:slip')] : []],
      ] as const;
      for (const [kind, names] of listed) {
        const buttons = depositMethodButtons(sheet, translate, kind);
        await expect(buttons).toHaveCount(names.length);
        for (const [index, name] of names.entries()) await expect(buttons.nth(index)).toContainText(name);
      }
      expect(await page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted)).toBeLessThanOrEqual(
        0.02,
      );
      await question(sheet, translate).fill('9');
      const next = namesOf('PAYMENT')[0] ?? '';
      await expect(card(sheet, payByQr('฿9.00', translate))).toContainText(next);
      await expect(notes(sheet).first()).toHaveText(
        translate('deposit:advice.insteadMinimum', {
          name: `${translate('deposit:promptPay')} 2`,
          limit: '฿10.00',
          next,
        }),
      );
      await buttonByName(sheet, translate('deposit:advice.more')).click();
      await expect(depositMethodButtons(sheet, translate, 'qr').first()).toBeFocused();
      await sheet
        .getByRole('group', { name: translate('deposit:advice.amounts') })
        .getByRole('button')
        .nth(1)
        .click();
      await expect(question(sheet, translate)).toHaveValue('300');
      await card(sheet, payByQr('฿300.00', translate)).click();
      await expect(sheet.getByRole('timer')).toBeVisible();
      await expect(sheet.getByRole('heading', { level: 3, name: `${translate('deposit:promptPay')} 2` })).toBeVisible();
    });

test.describe('the recommended method', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('an amount that the recommended method does not accept moves the recommendation to the next, announced once [R-WALLET-01]', async ({
    memberPage: page,
  }) => {
    await advising(page, { 'qr WW': usedNow() });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('100');
    await expect(card(sheet, payByQr('฿100.00'))).toContainText(translate('deposit:promptPay'));
    await expect(notes(sheet)).toHaveText('');
    await question(sheet).fill('99');
    await expect(card(sheet, payByQr('฿99.00'))).toContainText('ธนาคารกสิกรไทย');
    const moved = translate('deposit:advice.insteadMinimum', {
      name: translate('deposit:promptPay'),
      limit: '฿100.00',
      next: 'ธนาคารกสิกรไทย',
    });
    await expect(notes(sheet)).toHaveText(moved);
    await question(sheet).fill('150000');
    const above = translate('deposit:advice.insteadMaximum', {
      name: translate('deposit:promptPay'),
      limit: '฿100,000.00',
      next: 'ธนาคารกสิกรไทย',
    });
    await expect(notes(sheet)).toHaveText(above);
  });

  test('if no method accepts the amount, the recommendation shows an amount that works, and the list stays [R-WALLET-01]', async ({
    memberPage: page,
  }) => {
    await advising(page, {});
    await page.route('**/api/lookup/deposit', async (route) => {
      const response = await route.fetch();
      const lookup = (await response.json()) as Lookup;
      await route.fulfill({
        response,
        json: { ...lookup, banks: lookup.banks.filter(({ bankType }) => bankType === 'PAYMENT'), wallets: [] },
      });
    });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('0.5');
    await expect(sheet.getByText(translate('deposit:rangeFrom', { minimum: '฿1.00' }))).toBeVisible();
    await expect(depositMethodButtons(sheet, translate, 'qr')).toHaveCount(4);
    await buttonByName(sheet, translate('deposit:advice.use', { amount: '฿1.00' })).click();
    await expect(question(sheet)).toHaveValue('1');
    await expect(card(sheet, payByQr('฿1.00'))).toBeEnabled();
    await question(sheet).fill('900000');
    await expect(sheet.getByText(translate('deposit:advice.upTo', { amount: '฿200,000.00' }))).toBeVisible();
  });

  test('closed and failing methods are not recommended; a limit of the member leaves a usable amount', async ({
    memberPage: page,
  }) => {
    await advising(page, { 'qr KBANK': { isHealthy: false }, 'qr WW': { isOpen: false } }, { headroom: 200 });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('150');
    await expect(card(sheet, payByQr('฿150.00'))).toContainText(`${translate('deposit:promptPay')} 2`);
    await question(sheet).fill('201');
    await expect(sheet.getByText(translate('deposit:advice.headroom', { amount: '฿200.00' }))).toBeVisible();
    await buttonByName(sheet, translate('deposit:advice.use', { amount: '฿200.00' })).click();
    await expect(card(sheet, payByQr('฿200.00'))).toBeEnabled();
  });

  test('without advice within 800 ms the last used method is recommended, and a later reply changes nothing', async ({
    memberPage: page,
  }) => {
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/deposit/advice', async (route) => {
      noteAsked();
      await mayAnswer;
      await route.continue();
    });
    const sheet = await openDepositSheet(page);
    await asked;
    await question(sheet).fill('60');
    await expect(card(sheet, payByQr('฿60.00'))).toContainText('ธนาคารกสิกรไทย');
    answer();
    await expect(card(sheet, payByQr('฿60.00'))).toContainText('ธนาคารกสิกรไทย');
  });

  test('if the advice fails to load, the method last used in this visit is recommended', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/deposit/advice', (route) => route.abort());
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('60');
    const pay = card(sheet, payByQr('฿60.00'));
    await expect(pay).toContainText(translate('deposit:least', { amount: '฿1.00' }));
    await pay.click();
    await expect(qrImage(sheet, '60.00')).toBeVisible();
    await buttonByName(sheet, translate('deposit:cancel')).click();
    await expect(sheet.getByLabel(translate('deposit:amount'))).toBeVisible();
    await page.keyboard.press('Escape');
    const again = await openDepositSheet(page);
    await question(again).fill('70');
    await expect(card(again, payByQr('฿70.00'))).toContainText(translate('deposit:advice.reason.LAST_USED'));
  });
});

test.describe('a pressed recommendation', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a gateway that creates no code keeps the amount and offers the next method, under another idempotency key [R-WALLET-01]', async ({
    memberPage: page,
  }) => {
    await advising(page, { 'qr KBANK': usedNow() });
    const keys: (string | undefined)[] = [];
    await page.route('**/api/qrcode/*', async (route) => {
      const request = route.request();
      if (request.method() !== 'POST') return route.fallback();
      keys.push(request.headers()['idempotency-key']);
      return request.url().endsWith('KBANK') ? route.fulfill({ json: noQr }) : route.fallback();
    });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('250');
    await card(sheet, payByQr('฿250.00')).click();
    const failed = translate('deposit:advice.failedNext', {
      name: 'ธนาคารกสิกรไทย',
      next: translate('deposit:promptPay'),
    });
    await expect(notes(sheet).filter({ hasText: failed })).toBeVisible();
    await expect(question(sheet)).toHaveValue('250');
    await card(sheet, payByQr('฿250.00')).click();
    await expect(sheet.getByRole('timer')).toBeVisible();
    await expect(sheet.getByRole('heading', { level: 3 })).toHaveText(translate('deposit:promptPay'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).not.toBe(keys[0]);
  });

  test('an existing code of another amount at the gateway is shown instead of a new one', async ({
    memberPage: page,
    member,
  }) => {
    await advising(page, { 'qr KBANK': usedNow() });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('90');
    // By then the page has asked for codes.
    await expect(card(sheet, payByQr('฿90.00'))).toBeEnabled();
    await api('POST', '/api/qrcode/KBANK', { token: member.token, body: { amount: 80 } });
    await card(sheet, payByQr('฿90.00')).click();
    await expect(qrImage(sheet, '80.00')).toBeVisible();
    await expect(page.locator('[data-toast]')).toContainText(translate('deposit:refused.QR_LIVE'));
  });

  test('a recommended bank account opens with the amount filled in; the next deposit asks for the amount first', async ({
    memberPage: page,
  }) => {
    await advising(page, { 'bank SCB 4680001234': usedNow() });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('320');
    await card(
      sheet,
      translate('deposit:advice.payAmountByBank', { amount: '฿320.00', name: 'ธนาคารไทยพาณิชย์' }),
    ).click();
    await expect(sheet.getByRole('heading', { level: 3 })).toHaveText('ธนาคารไทยพาณิชย์');
    await expect(sheet.getByRole('definition').filter({ hasText: '฿320.00' })).toBeVisible();
    await expect(sheet.getByLabel(translate('deposit:announcementAmount'))).toHaveValue('320');
    await page.keyboard.press('Escape');
    await expect(question(await openDepositSheet(page))).toBeVisible();
  });

  test('offline the deposit keeps the amount and disables its buttons', async ({ memberPage: page, context }) => {
    await advising(page, {});
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('75');
    await expect(card(sheet, payByQr('฿75.00'))).toBeEnabled();
    await context.setOffline(true);
    await expect(card(sheet, payByQr('฿75.00'))).toBeDisabled();
    await expect(sheet.getByText(translate('deposit:advice.offline'))).toBeVisible();
    await context.setOffline(false);
    await expect(card(sheet, payByQr('฿75.00'))).toBeEnabled();
    await expect(question(sheet)).toHaveValue('75');
  });
});

test.describe('the QR on one phone', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  for (const size of [
    { width: 390, height: 844 },
    { width: 320, height: 568 },
  ])
    test(`QR code, save, copy amount and payee are visible without scrolling at ${size.width} × ${size.height} [R-WALLET-01]`, async ({
      memberPage: page,
      member,
    }) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.setViewportSize(size);
      const { body } = await api<{ payee: { name: string; id: string }; amount: number }>('POST', '/api/qrcode/WW', {
        token: member.token,
        body: { amount: 500 },
      });
      await openDepositSheet(page);
      const sheet = depositSheet(page);
      const payee = translate('deposit:payee', { name: [body.payee.name, body.payee.id].filter(Boolean).join(' · ') });
      await expectFullyVisible(page, {
        QR: qrImage(sheet, body.amount.toFixed(2)),
        save: buttonByName(sheet, translate('deposit:saveImage')),
        'copy amount': buttonByName(sheet, translate('deposit:copyAmount')),
        payee: sheet.getByText(payee, { exact: true }),
        'time left': sheet.getByRole('timer'),
      });
      await buttonByName(sheet, translate('deposit:copyAmount')).click();
      await expect
        .poll(() => page.evaluate(async () => Number(await navigator.clipboard.readText())))
        .toBe(body.amount);
      await expect(sheet.getByRole('navigation', { name: translate('deposit:bankApps') })).toHaveCount(0);
    });

  test("the operator's links open bank apps of the member's currency, the member's own bank first", async ({
    memberPage: page,
    member,
  }) => {
    await page.route('**/api/lookup/deposit', async (route) => {
      const response = await route.fetch();
      const lookup = (await response.json()) as Lookup;
      const apps = [
        { code: 'KBANK', name: 'K PLUS', url: 'kplus://open', currency: 'BAHT' },
        { code: 'BCEL', name: 'BCEL One', url: 'bcelone://open', currency: 'LAK' },
        { code: 'SCB', name: 'Own bank', url: 'https://bank.test/open', currency: 'BAHT' },
      ];
      await route.fulfill({ response, json: { ...lookup, apps } });
    });
    await api('POST', '/api/qrcode/KBANK', { token: member.token, body: { amount: 40 } });
    await page.reload();
    const sheet = await openDepositSheet(page);
    const links = sheet.getByRole('navigation', { name: translate('deposit:bankApps') }).getByRole('link');
    await expect(links).toHaveCount(2);
    await expect(links.first()).toHaveAccessibleName('Own bank');
    await expect(links.last()).toHaveAccessibleName('K PLUS');
    await expect(links.last()).toHaveAttribute('href', 'kplus://open');
  });
});
