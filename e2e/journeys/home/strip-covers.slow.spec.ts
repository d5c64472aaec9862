import type { Locator, Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { answerPending, pendingItem, strip } from '../../support/pending.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { expect, test } from '../../support/test.ts';
import { type Translate, translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const GAP_PX = 8;

/** The longest text of the strip: an amount of six digits and a game. */
const item = pendingItem({
  kind: 'transfer',
  state: 'UNKNOWN',
  place: 'pg',
  amount: 123_456.78,
  target: '/user/home#game=pg',
});

/** Elements of a page that must be readable beside the strip. */
const elementsOf: Readonly<Record<string, (page: Page, translate: Translate) => Readonly<Record<string, Locator>>>> = {
  home: (page, translate) =>
    Object.fromEntries(
      (['deposit', 'withdraw', 'invite', 'refund'] as const).map((tile) => [
        tile,
        buttonByName(page, translate(`home:${tile}`)),
      ]),
    ),
  contact: (page) => ({
    code: page.getByRole('figure').getByRole('img'),
    caption: page.getByRole('figure').locator('figcaption'),
  }),
  spin: (page) => ({ wheel: page.locator('canvas').locator('../..') }),
  statement: (page, translate) => ({ export: buttonByName(page, translate('statement:export.open')) }),
  profile: (page, translate) => ({ choice: page.getByRole('checkbox', { name: translate('profile:bringHome') }) }),
};

/** Runs in the page. */
function scrollBelowTopBar(element: Element): void {
  const barBottom = document.querySelector('.frame > header')?.getBoundingClientRect().bottom ?? 0;
  scrollBy({ top: element.getBoundingClientRect().top - barBottom - 2, behavior: 'instant' });
}

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (!box) throw new Error('the element is not on the screen');
  return box;
};

for (const [language, width, height] of [
  ['la', 320, 568],
  ['th', 390, 844],
  ['en', 844, 390],
] as const)
  test.describe(`in ${language} at ${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    test('each page can be scrolled until the strip covers neither its end nor its codes and tiles [R-WALLET-02]', async ({
      memberPage: page,
    }) => {
      test.setTimeout(180_000);
      const translate = translatorFor(language);
      await page.addInitScript((locale) => localStorage.setItem('locale', locale), language);
      await answerPending(page, () => [item]);
      await openHome(page);
      for (const [path, elements] of Object.entries(elementsOf)) {
        await page.goto(`/user/${path}`);
        await expect(strip(page, translate)).toBeVisible();
        await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0);
        for (const [name, element] of Object.entries(elements(page, translate))) {
          await expect(element).toBeVisible();
          await element.evaluate(scrollBelowTopBar);
          await expectFullyVisible(page, { [`${name} of ${path}`]: element });
        }
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        const { y: stripTop, height: stripHeight } = await boxOf(strip(page, translate));
        expect(stripHeight, 'one row').toBe(48);
        const content = await boxOf(page.locator('#content > :last-child'));
        expect(content.y + content.height, `end of ${path}`).toBeLessThanOrEqual(stripTop - GAP_PX);
      }
      // The chat button is above the strip, or beside it.
      await page.goto('/user/contact');
      await expect(strip(page, translate)).toBeVisible();
      const [chat, { y: stripTop }] = await Promise.all([
        boxOf(buttonByName(page, translate('chat:open'))),
        boxOf(strip(page, translate)),
      ]);
      expect(chat.y + chat.height).toBeLessThanOrEqual(stripTop - GAP_PX);
    });
  });
