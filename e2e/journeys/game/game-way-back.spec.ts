import type { Page } from '@playwright/test';
import { openGameAtHome, playInNewTab } from '../../support/game.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { openGame } from '../../support/money.ts';
import { outsideUrl } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';

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
