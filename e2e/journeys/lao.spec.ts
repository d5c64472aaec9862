import { randomInt } from 'node:crypto';
import { newAccountNo } from '../support/member.ts';
import { readQr } from '../support/read-qr.ts';
import { payQr } from '../support/outside.ts';
import { Phone } from '../support/phone.ts';
import { ownSystem } from '../support/own-system.ts';
import { expect, test } from '../support/test.ts';
import * as walk from '../support/walk.ts';
import { speaking } from '../support/words.ts';

const say = speaking('la');
const PATIENCE = { timeout: 30_000 };

const person: walk.Person = {
  // Eleven digits, as a phone in Laos has and none in Thailand.
  phone: `020${randomInt(20_000_000, 100_000_000)}`,
  password: 'Basket-of-gold-9',
  name: 'ແກ້ວຕາ',
  firstName: 'keota',
  lastName: 'thotlong',
  accountNo: newAccountNo(),
  bankCode: 'BCEL',
};

/** A system of its own, as an operator in Laos starts it. */
test.describe('VARIANT=lao', () => {
  ownSystem({ VARIANT: 'lao' });

  test('a member registers in Lao, pays in kip by a Lao QR, and has kip paid out to a Lao bank [R-I18N-03]', async ({
    page,
    context,
  }) => {
    // A whole life in one test, on a machine that may be busy.
    test.setTimeout(120_000);
    const quietly = async (): Promise<void> => {};
    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    const seen = async (name: string): Promise<void> => {
      if (name !== 'register-bank') return;
      const currency = page.getByLabel(say('register:currency'));
      await expect(currency.locator('option')).toHaveText(['LAK', 'BAHT']);
      await expect(currency).toHaveValue('LAK');
    };
    await walk.register(page, say, await Phone.open(context), person, seen);
    await walk.logIn(page, say, person, quietly);

    await walk.button(page, say('home:deposit')).click();
    const sheet = walk.dialog(page, say('deposit:title'));
    await expect(walk.ways(sheet, say, 'bank').filter({ hasText: 'BCEL' })).toHaveCount(1);
    await walk.ways(sheet, say, 'qr').filter({ hasText: 'BCEL' }).click();
    await sheet.getByLabel(say('deposit:amount')).fill('100000');
    await walk.button(sheet, say('deposit:create')).click();
    const picture = sheet.getByRole('img', { name: say('deposit:qrOf', { amount: '₭100,000' }) });
    let payload: string | undefined;
    await expect
      .poll(async () => (payload = await readQr(await picture.screenshot({ animations: 'disabled' }))))
      .toBeTruthy();
    await payQr(payload ?? '', { bankCode: 'BCEL', accountNo: person.accountNo, accountName: 'KEOTA THOTLONG' });
    await expect(sheet.getByText(say('deposit:arrivedAmount', { amount: '₭100,000' }))).toBeVisible(PATIENCE);
    await walk.button(sheet, say('deposit:finish')).click();
    await expect(walk.total(page, say)).toContainText('100,000');

    await walk.button(page, say('home:withdraw')).click();
    const out = walk.dialog(page, say('withdraw:title'));
    await expect(out.getByRole('region', { name: say('withdraw:goesTo') })).toContainText('KEOTA THOTLONG');
    await out.getByLabel(say('withdraw:amount')).fill('60000');
    await walk.button(out, say('withdraw:submit')).click();
    // That it is asked for, or that it is paid already: the bank of these tests takes a second.
    await expect(page.getByRole('dialog').filter({ hasText: '₭60,000' })).toBeVisible(PATIENCE);
    await page.reload();
    await expect(walk.total(page, say)).toContainText('40,000', PATIENCE);
  });
});
