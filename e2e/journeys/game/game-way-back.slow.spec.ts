import type { Page } from '@playwright/test';
import { dialogAmount, GAMES, openGameFromHome, openGameDialog, playInNewTab } from '../../support/game.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { simulatorsUrl } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const BACK_TEXTS = { th: 'กลับไปกระเป๋า', la: 'ກັບໄປກະເປົາ', en: 'Back to the wallet' };
const WALLET_TEXTS = { th: 'กระเป๋า', la: 'ກະເປົາ', en: 'Wallet' };

/** A link into a game, in a language of the member. */
async function openLaunchLink(page: Page, member: Member, code: string, language: string): Promise<string> {
  const { username } = await openGameAccount(member, code);
  const launchReply = await page.request.get(`/api/autoLogin/${code}/${username}`, {
    headers: {
      authorization: `Bearer ${member.token}`,
      'x-requested-with': 'XMLHttpRequest',
      cookie: `language=${language.toUpperCase()}`,
    },
  });
  return ((await launchReply.json()) as { link: string }).link;
}

for (const language of ['th', 'la', 'en'] as const)
  test(`a slot, a sports book and a lotto link back to the wallet in the member's language (${language})`, async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(120_000);
    for (const code of ['ninedice', 'askmebet', 'goldendraw']) {
      await page.goto(await openLaunchLink(page, member, code, language));
      const backLink = page.getByRole('link', { name: BACK_TEXTS[language] });
      await expect(backLink).toBeVisible();
      await expect(backLink).toHaveText(WALLET_TEXTS[language]);
      await backLink.click();
      await page.waitForURL((url) => url.origin === new URL(appUrl()).origin);
    }
  });

test('every game that opens by a link links back to the wallet', async ({ memberPage: page, member }) => {
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
    await page.goto(await openLaunchLink(page, member, code, 'en'));
    await expect(page.getByRole('link', { name: BACK_TEXTS.en }), code).toBeVisible();
  }
});

test('a site with manual sign-in, a closed game and an ended session link back to the wallet', async ({ page }) => {
  for (const path of ['royal/?l=la', 'askmebet/play/?l=la&ops=none', 'usun/app/android?l=la']) {
    await page.goto(`${simulatorsUrl()}/games/${path}`);
    await expect(page.getByRole('link', { name: BACK_TEXTS.la }), path).toHaveAttribute(
      'href',
      new URL(appUrl()).origin,
    );
  }
});

test('a game in its own tab links back to the wallet', async ({ memberPage, member, context }) => {
  await openGameAccount(member, 'askmebet');
  const game = await playInNewTab(context, await openGameFromHome(memberPage, 'askmebet'));
  await game.getByRole('link', { name: BACK_TEXTS.th }).click();
  await game.waitForURL((url) => url.origin === new URL(appUrl()).origin);
});

test('back from a game the balance is visible, and one button moves it to the wallet', async ({
  memberPage: page,
  member,
  context,
}) => {
  await page.setViewportSize({ width: 390, height: 640 });
  await fundWallet(member, 188.8);
  await openGameAccount(member, 'askmebet');
  const dialog = await openGameFromHome(page, 'askmebet');
  // Nothing in the game: amounts to press beside playing with nothing.
  await dialog.getByRole('button', { name: '100', exact: true }).click();
  await expect(dialog.getByLabel(translate('game:amount'))).toHaveValue('100');
  await expect(dialog.getByRole('button', { name: '500', exact: true })).toHaveCount(0);
  await transferMoney(member, 'WALLET', 'askmebet', 188.8);
  await page.reload();
  await openGameDialog(page, GAMES.askmebet);
  const game = await playInNewTab(context, dialog);
  await expect(dialog.getByText(translate('game:opened'))).toBeInViewport();
  await game.close();
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(dialogAmount(dialog, '188.80')).toBeInViewport();
  await buttonByName(dialog, translate('game:bringHome')).click();
  await expect(page.getByText(translate('game:broughtHome', { amount: '฿188.80' }))).toBeVisible();
  expect((await readWallet(member)).wallet.amount).toBe(188.8);
});
