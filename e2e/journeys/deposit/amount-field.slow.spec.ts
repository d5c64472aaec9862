import { advising, usedNow } from '../../support/deposit-advice.ts';
import { openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, depositMethodButtons, dialogByName } from '../../support/user-actions.ts';

for (const language of ['th', 'la', 'en'] as const)
  test(`what is added to an amount is said beside it before a QR or an announcement is created, in ${language} [R-WALLET-01]`, async ({
    memberPage: page,
  }) => {
    const translate = translatorFor(language);
    const mayAdd = translate('deposit:mayAdd', { most: '฿0.99' });
    const created: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'POST' && /^\/api\/(qrcode\/|wallet\/add$)/.test(pathname)) created.push(pathname);
    });
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    await advising(page, { 'qr FP': usedNow() });
    await openHome(page);
    await buttonByName(page, translate('home:deposit')).click();
    const sheet = dialogByName(page, translate('deposit:title'));
    const question = sheet.getByLabel(translate('deposit:advice.howMuch'));
    const pay = sheet.locator('form button[type=submit]');
    await question.fill('300');
    await expect(pay).toContainText(translate('deposit:advice.anyBankApp'));
    // A gateway that identifies payments by their number asks for the entered amount.
    await expect(sheet.getByText(mayAdd)).toHaveCount(0);
    await depositMethodButtons(sheet, translate, 'bank').first().click();
    await expect(sheet.getByText(mayAdd)).toBeVisible();
    await buttonByName(sheet, translate('deposit:otherWays')).click();
    await depositMethodButtons(sheet, translate, 'qr').last().click();
    await expect(sheet.getByLabel(translate('deposit:amount'))).toHaveValue('300');
    await expect(sheet.getByText(mayAdd)).toBeVisible();
    await page.unroute('**/api/deposit/advice');
    await advising(page, { 'qr PAYONEX': usedNow() });
    await page.reload();
    await buttonByName(page, translate('home:deposit')).click();
    await question.fill('300');
    await expect(pay).toContainText(mayAdd);
    expect(created).toEqual([]);
    await pay.click();
    await expect(sheet.getByText(/฿300\.(?!00)\d\d/).first()).toBeVisible();
    expect(created).toEqual(['/api/qrcode/PAYONEX']);
  });
