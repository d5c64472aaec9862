import type { Page } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { depositSheet } from '../../support/deposit.ts';
import { GAMES } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, memberAsPayer, openGameAccount, readWallet, transferMoney } from '../../support/money.ts';
import { strip } from '../../support/pending.ts';
import { payQr } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Pays a QR of 500 baht from elsewhere. @returns what is paid */
async function createQr({ token }: Member): Promise<{ payload: string; amount: number }> {
  return (await api<{ payload: string; amount: number }>('POST', '/api/qrcode/KBANK', { token, body: { amount: 500 } }))
    .body;
}

/** Launches the game once, so that it is the last one played, and leaves money in it. */
async function launchGame(member: Member, code: keyof typeof GAMES): Promise<void> {
  await fundWallet(member, 100);
  const { username } = await openGameAccount(member, code);
  await transferMoney(member, 'WALLET', code, 100);
  const { status } = await api('GET', `/api/autoLogin/${code}/${username}`, { token: member.token });
  expect(status).toBe(200);
}

const openDeposit = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: translate('home:deposit') }).click();
  await expect(depositSheet(page)).toBeVisible();
};

for (const viewport of [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
]) {
  test.describe(`after money arrived, ${viewport.width} wide`, () => {
    test.use({ viewport });

    test('the main button after a deposit opens the last played game; without one it is Done [R-WALLET-03]', async ({
      memberPage: page,
      member,
      context,
    }) => {
      await openHome(page);
      await openDeposit(page);
      await payQr((await createQr(member)).payload, memberAsPayer(member));
      const sheet = depositSheet(page);
      const done = buttonByName(sheet, translate('deposit:finish'));
      await expect(sheet.getByText(translate('deposit:arrived'))).toBeVisible();
      await expect(sheet.getByRole('button', { name: /^เล่น/ })).toHaveCount(0);
      await expect(done).toHaveCSS('background-color', 'rgb(125, 84, 16)');
      await done.click();

      await launchGame(member, 'pg');
      await page.reload();
      await openDeposit(page);
      await payQr((await createQr(member)).payload, memberAsPayer(member));
      const play = buttonByName(sheet, translate('lobby:quickPlayAgain', { name: GAMES.pg }));
      await expect(play).toBeVisible();
      await expectAccessible(page, 'the end of a deposit');
      await page.screenshot({ path: test.info().outputPath('end.png'), animations: 'disabled' });
      const opened = context.waitForEvent('page');
      await play.click();
      const game = await opened;
      await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
      await game.close();
      await expect(dialogByName(page, GAMES.pg)).toBeVisible();
      await expect(sheet).toHaveCount(0);
      expect((await readWallet(member)).wallet.amount).toBeGreaterThanOrEqual(1_000);
    });

    test('the strip on another page also offers the last played game after a deposit [R-WALLET-02] [R-WALLET-03]', async ({
      memberPage: page,
      member,
      context,
    }) => {
      await launchGame(member, 'pg');
      const qr = await createQr(member);
      await page.goto('/user/profile');
      await expect(strip(page, translate)).toBeVisible();
      await payQr(qr.payload, memberAsPayer(member));
      const arrived = strip(page, translate);
      await expect(
        arrived.getByText(translate('money:ended.deposit', { amount: `฿${qr.amount.toFixed(2)}` })),
      ).toBeVisible();
      const play = buttonByName(arrived, translate('lobby:quickPlayAgain', { name: GAMES.pg }));
      const [box, strips, close] = await Promise.all([
        play.boundingBox(),
        arrived.boundingBox(),
        buttonByName(arrived, translate('common:close')).boundingBox(),
      ]);
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
      expect((close?.x ?? 0) - (box?.x ?? 0) - (box?.width ?? 0)).toBeGreaterThanOrEqual(8);
      expect((strips?.x ?? 0) + (strips?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
      await page.screenshot({ path: test.info().outputPath('strip.png'), animations: 'disabled' });
      const opened = context.waitForEvent('page');
      await play.click();
      await expect((await opened).getByRole('button', { name: 'หมุน' })).toBeVisible();
      await expect(dialogByName(page, GAMES.pg)).toBeVisible();
      await expect(page).toHaveURL(/\/user\/home$/);
    });
  });
}
