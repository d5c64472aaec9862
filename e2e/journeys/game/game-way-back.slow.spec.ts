import type { Page } from '@playwright/test';
import { amountIn, GAMES, openGameAtHome, openGameDialog, playInNewTab } from '../../support/game.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { outsideUrl } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const BACK = { th: 'กลับไปกระเป๋า', la: 'ກັບໄປກະເປົາ', en: 'Back to the wallet' };
const SHOWN = { th: 'กระเป๋า', la: 'ກະເປົາ', en: 'Wallet' };

/** A link into a game, in a language of the member. */
async function linkOf(page: Page, member: Member, code: string, language: string): Promise<string> {
  const { username } = await openGame(member, code);
  const answer = await page.request.get(`/api/autoLogin/${code}/${username}`, {
    headers: {
      authorization: `Bearer ${member.token}`,
      'x-requested-with': 'XMLHttpRequest',
      cookie: `language=${language.toUpperCase()}`,
    },
  });
  return ((await answer.json()) as { link: string }).link;
}

for (const language of ['th', 'la', 'en'] as const)
  test(`a slot, a sports book and a lotto lead back to the wallet in the member's language (${language})`, async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(120_000);
    for (const code of ['ninedice', 'askmebet', 'goldendraw']) {
      await page.goto(await linkOf(page, member, code, language));
      const back = page.getByRole('link', { name: BACK[language] });
      await expect(back).toBeVisible();
      await expect(back).toHaveText(SHOWN[language]);
      await back.click();
      await page.waitForURL((url) => url.origin === new URL(appUrl()).origin);
    }
  });

test('every game that opens by a link leads back to the wallet', async ({ memberPage: page, member }) => {
  test.setTimeout(120_000);
  for (const code of [
    'usun',
    'circus',
    'slotracha',
    'imi',
    'pgslot',
    'joker2',
    'betflix',
    'areaslot',
    'pg',
    'huayhd',
  ]) {
    await page.goto(await linkOf(page, member, code, 'en'));
    await expect(page.getByRole('link', { name: BACK.en }), code).toBeVisible();
  }
});

test('a site where members sign in by hand, a closed game and an ended session lead back to the wallet', async ({
  page,
}) => {
  for (const path of ['royal/?l=la', 'askmebet/play/?l=la&ops=none', 'usun/app/android?l=la']) {
    await page.goto(`${outsideUrl()}/games/${path}`);
    await expect(page.getByRole('link', { name: BACK.la }), path).toHaveAttribute('href', new URL(appUrl()).origin);
  }
});

test('a game in a tab of its own leads back to the wallet', async ({ memberPage, member, context }) => {
  await openGame(member, 'askmebet');
  const game = await playInNewTab(context, await openGameAtHome(memberPage, 'askmebet'));
  await game.getByRole('link', { name: BACK.th }).click();
  await game.waitForURL((url) => url.origin === new URL(appUrl()).origin);
});

test('back from a game the balance is in sight, and one button brings it home', async ({
  memberPage: page,
  member,
  context,
}) => {
  await page.setViewportSize({ width: 390, height: 640 });
  await fund(member, 188.8);
  await openGame(member, 'askmebet');
  const dialog = await openGameAtHome(page, 'askmebet');
  // Nothing in the game: amounts to press beside playing with nothing.
  await dialog.getByRole('button', { name: '100', exact: true }).click();
  await expect(dialog.getByLabel(say('game:amount'))).toHaveValue('100');
  await expect(dialog.getByRole('button', { name: '500', exact: true })).toHaveCount(0);
  await transfer(member, 'WALLET', 'askmebet', 188.8);
  await page.reload();
  await openGameDialog(page, GAMES.askmebet);
  const game = await playInNewTab(context, dialog);
  await expect(dialog.getByText(say('game:opened'))).toBeInViewport();
  await game.close();
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(amountIn(dialog, '188.80')).toBeInViewport();
  await button(dialog, say('game:takeHome', { amount: '฿188.80' })).click();
  const sheet = page.getByRole('dialog', { name: say('transfer:title') });
  await expect(sheet.getByLabel(say('transfer:amount'))).toHaveValue('188.80');
  await button(sheet, say('transfer:submit')).click();
  await expect(page.getByRole('dialog', { name: say('transfer:successTitle') })).toBeVisible();
  expect((await walletOf(member)).wallet.amount).toBe(188.8);
});
