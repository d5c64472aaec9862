import { expectQrFitsSmallScreens } from '../../support/screen-fit.ts';
import { openHome } from '../../support/home.ts';
import { api, newMember } from '../../support/member.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

const LANGUAGES = ['th', 'la', 'en'] as const;

/** Asks for a code, from outside the browser. @returns the amount to pay, with its sign */
async function createQr(token: string, bankCode: string, amount: number): Promise<string> {
  const { status, body } = await api<{ amount: number }>('POST', `/api/qrcode/${bankCode}`, {
    token,
    body: { amount },
  });
  expect(status).toBe(200);
  return `฿${body.amount.toFixed(2)}`;
}

for (const [deviceScaleFactor, languages] of [
  [1, LANGUAGES],
  [2, ['th']],
] as const) {
  test.describe(`a QR on small screens, at ${deviceScaleFactor} px per px`, () => {
    test.use({ deviceScaleFactor });
    for (const gateway of ['KBANK', 'WW', 'FP', 'PAYONEX']) {
      test(`of ${gateway} it is scanned from the screen, with amount, time left and actions beside it, unscrolled`, async ({
        page,
      }) => {
        test.setTimeout(240_000);
        const member = await newMember();
        const amount = await createQr(member.token, gateway, 500);
        await signIn(page, member);
        for (const language of languages) {
          const translate = translatorFor(language);
          await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
          await openHome(page);
          await buttonByName(page, translate('home:deposit')).click();
          await expectQrFitsSmallScreens(page, dialogByName(page, translate('deposit:title')), translate, amount);
        }
      });
    }
  });
}
