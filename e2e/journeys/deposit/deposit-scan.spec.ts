import sharp from 'sharp';
import { openWay, qrOf } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { readQr } from '../../support/read-qr.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

for (const [size, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 800 }],
] as const) {
  test.describe(`the QR on the screen of ${size}`, () => {
    test.use({ viewport });

    test('can be read off the screen, and off a poor photograph of it that is held askew [R-QR-08]', async ({
      memberPage,
      member,
    }) => {
      await openHome(memberPage);
      const sheet = await openWay(memberPage, 'qr', 'ธนาคารกสิกรไทย');
      await sheet.getByLabel(say('deposit:amount')).fill('123.45');
      await button(sheet, say('deposit:create')).click();
      await expect(qrOf(sheet, '123.45')).toBeInViewport({ ratio: 1 });
      const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
      const shoot = () => memberPage.screenshot({ animations: 'disabled' });
      // A picture has its place before it is drawn.
      await expect.poll(async () => readQr(await shoot())).toBe(body.payload);
      const screen = await shoot();
      expect(await readQr(screen)).toBe(body.payload);
      const photograph = await sharp(screen).rotate(10, { background: '#444' }).jpeg({ quality: 40 }).toBuffer();
      expect(await readQr(photograph)).toBe(body.payload);
    });
  });
}
