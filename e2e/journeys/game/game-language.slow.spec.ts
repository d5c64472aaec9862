import { expectOwnWords } from '../../support/foreign-words.ts';
import { openGame } from '../../support/money.ts';
import { creditShown } from '../../support/play.ts';
import { expect, test } from '../../support/test.ts';

/** What is called the same in every language: the site of the provider. */
const NAMES = ['ASKMEBET'];
const TAGS = { th: 'th', la: 'lo', en: 'en' } as const;

test("a slot, a sports book and a lotto open in the member's language, without a word of another", async ({
  page,
  member,
}) => {
  test.setTimeout(120_000);
  for (const code of ['ninedice', 'askmebet', 'goldendraw']) {
    const { username } = await openGame(member, code);
    for (const language of ['th', 'la', 'en'] as const) {
      const answer = await page.request.get(`/api/autoLogin/${code}/${username}`, {
        headers: {
          authorization: `Bearer ${member.token}`,
          'x-requested-with': 'XMLHttpRequest',
          cookie: `language=${language.toUpperCase()}`,
        },
      });
      const { link } = (await answer.json()) as { link: string };
      await page.goto(link);
      await expect(creditShown(page)).toHaveText('0.00');
      await expect(page.locator('html')).toHaveAttribute('lang', TAGS[language]);
      await expect(page.locator('body')).not.toHaveClass(/loading/);
      await expectOwnWords(page, language, NAMES, `${code} in ${language}`);
    }
  }
});
