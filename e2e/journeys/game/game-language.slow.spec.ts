import { expectOnlyLanguage } from '../../support/foreign-text.ts';
import { creditDisplay } from '../../support/game-bets.ts';
import { openGameAccount } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';

/** Names that are identical in every language: the provider's site. */
const GAME_NAMES = ['ASKMEBET'];
const LANGUAGE_TAGS = { th: 'th', la: 'lo', en: 'en' } as const;

test("a slot, a sports book and a lotto open in the member's language, without text in another", async ({
  page,
  member,
}) => {
  test.setTimeout(120_000);
  for (const code of ['ninedice', 'askmebet', 'goldendraw']) {
    const { username } = await openGameAccount(member, code);
    for (const language of ['th', 'la', 'en'] as const) {
      const launchReply = await page.request.get(`/api/autoLogin/${code}/${username}`, {
        headers: {
          authorization: `Bearer ${member.token}`,
          'x-requested-with': 'XMLHttpRequest',
          cookie: `language=${language.toUpperCase()}`,
        },
      });
      const { link } = (await launchReply.json()) as { link: string };
      await page.goto(link);
      await expect(creditDisplay(page)).toHaveText('0.00');
      await expect(page.locator('html')).toHaveAttribute('lang', LANGUAGE_TAGS[language]);
      await expect(page.locator('body')).not.toHaveClass(/loading/);
      await expectOnlyLanguage(page, language, GAME_NAMES, `${code} in ${language}`);
    }
  }
});
