import { advising, card, type Lookup, payByQr, question, usedNow } from '../../support/deposit-advice.ts';
import { depositSheet, openDepositSheet, qrImage } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { memberAsPayer } from '../../support/money.ts';
import { payQr } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('the recommendation after a deposit', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('after a deposit by transfer and slip, a method with automatic credit is recommended', async ({
    memberPage: page,
  }) => {
    await advising(page, { 'bank GSB 020123456789': usedNow(), 'qr KBANK': {} });
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('300');
    await expect(card(sheet, payByQr('฿300.00'))).toBeEnabled();
  });

  test('the button of a method that needs a slip says so', async ({ memberPage: page }) => {
    const { banks } = (await api<Lookup>('GET', '/api/lookup/deposit')).body;
    const closed = Object.fromEntries(
      banks
        .filter(({ bankType, mode }) => bankType === 'PAYMENT' || mode === 'AUTO')
        .map(({ bankType, bankCode, bankAccountNo }) => [
          bankType === 'PAYMENT' ? `qr ${bankCode}` : `bank ${bankCode} ${bankAccountNo}`,
          { isOpen: false },
        ]),
    );
    await page.route('**/api/lookup/deposit', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as Lookup), wallets: [] } });
    });
    await advising(page, closed);
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('300');
    await expect(
      card(sheet, translate('deposit:advice.payAmountByBankAndSlip', { amount: '฿300.00', name: 'ธนาคารออมสิน' })),
    ).toBeEnabled();
  });

  test('the next deposit proposes the last amount, two taps from home to the QR, also opened by its address on a slow line', async ({
    memberPage: page,
    member,
  }) => {
    const sheet = await openDepositSheet(page);
    await question(sheet).fill('64.5');
    await card(sheet, payByQr('฿64.50')).click();
    await expect(qrImage(sheet, '64.50')).toBeVisible();
    const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
    await payQr(body.payload, memberAsPayer(member));
    await expect(sheet.getByText(translate('deposit:arrived'))).toBeVisible({ timeout: 30_000 });
    await buttonByName(sheet, translate('deposit:finish')).click();
    const again = await openDepositSheet(page);
    await expect(question(again)).toHaveValue('64');
    await expect(card(again, payByQr('฿64.00'))).toContainText(translate('deposit:advice.reason.LAST_USED'));
    // A reply that is late, as on a slow line, is replaced by the one before.
    await page.route('**/api/deposit/advice', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await route.continue();
    });
    await page.goto('about:blank');
    await page.goto('/user/home#deposit');
    const reloaded = depositSheet(page);
    const pay = card(reloaded, payByQr('฿64.00'));
    await expect(pay).toContainText(translate('deposit:advice.reason.LAST_USED'));
    await pay.click();
    await expect(qrImage(reloaded, '64.00')).toBeVisible();
  });
});
