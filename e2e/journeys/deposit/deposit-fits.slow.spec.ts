import { openHome } from '../../support/home.ts';
import { api, newMember } from '../../support/member.ts';
import { expectQrFitsSmallScreens } from '../../support/screen-fit.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

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
  test.describe(`a QR on small screens, at a device scale of ${deviceScaleFactor}`, () => {
    test.use({ deviceScaleFactor });
    for (const gateway of ['KBANK', 'WW', 'FP', 'PAYONEX']) {
      test(`the QR of ${gateway} can be scanned on a small screen, with amount, countdown and actions visible without scrolling`, async ({
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

test('the countdown ring shows the same remaining share as its text [R-WALLET-01]', async ({
  memberPage: page,
  member,
}) => {
  const translate = translatorFor('th');
  const { body } = await api<{ expireIn: string }>('POST', '/api/qrcode/KBANK', {
    token: member.token,
    body: { amount: 500 },
  });
  const lifetime = (Date.parse(body.expireIn) - Date.now()) / 1_000;
  await page.clock.install();
  await openHome(page);
  await buttonByName(page, translate('home:deposit')).click();
  const timer = dialogByName(page, translate('deposit:title')).getByRole('timer');
  await expect(timer).toBeVisible();
  // A reply would set the app's clock to the server's again.
  await page.route('**/api/**', () => undefined);
  /** Seconds by the text, and by the drawn part of the ring. */
  const secondsLeft = () =>
    timer.evaluate((text, total) => {
      const ring = text.closest('p')?.querySelector('circle[stroke-dasharray]');
      if (!ring) throw new Error('no ring');
      const { strokeDasharray, strokeDashoffset } = getComputedStyle(ring);
      const share = 1 - Number.parseFloat(strokeDashoffset) / Number.parseFloat(strokeDasharray);
      const [minutes = 0, seconds = 0] = (text.textContent ?? '').split(':').map(Number);
      return { text: minutes * 60 + seconds, ring: share * total };
    }, lifetime);
  const first = await secondsLeft();
  expect(first.text).toBeGreaterThan(lifetime - 60);
  expect(Math.abs(first.ring - first.text)).toBeLessThan(3);
  await page.clock.fastForward(240_000);
  await expect.poll(async () => first.text - (await secondsLeft()).text).toBeGreaterThanOrEqual(240);
  const second = await secondsLeft();
  expect(Math.abs(second.ring - second.text)).toBeLessThan(3);
});
