import sharp from 'sharp';
import { openDepositMethod, qrImage } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { readQr } from '../../support/read-qr.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

for (const [size, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 800 }],
] as const) {
  test.describe(`the QR on the screen of ${size}`, () => {
    test.use({ viewport });

    test('the QR can be decoded from the screen, and from a blurred photograph taken at an angle [R-QR-08]', async ({
      memberPage,
      member,
    }) => {
      await openHome(memberPage);
      const sheet = await openDepositMethod(memberPage, 'qr', 'ธนาคารกสิกรไทย');
      await sheet.getByLabel(translate('deposit:amount')).fill('123.45');
      await buttonByName(sheet, translate('deposit:create')).click();
      await expect(qrImage(sheet, '123.45')).toBeInViewport({ ratio: 1 });
      const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
      const takeScreenshot = () => memberPage.screenshot({ animations: 'disabled' });
      // The layout reserves the image's space before it is drawn.
      await expect.poll(async () => readQr(await takeScreenshot())).toBe(body.payload);
      const screenshot = await takeScreenshot();
      expect(await readQr(screenshot)).toBe(body.payload);
      const photographedScreen = await sharp(screenshot)
        .rotate(10, { background: '#444' })
        .jpeg({ quality: 40 })
        .toBuffer();
      expect(await readQr(photographedScreen)).toBe(body.payload);
    });
  });
}
