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

/** Texts of the page that show beside or below the strip, outside the space between the bars. Runs in the page. */
const findCoveredContent = (): string[] => {
  const stripBox = document.querySelector('.strip')?.getBoundingClientRect();
  const menuTop = document.querySelector('.menu')?.getBoundingClientRect().top ?? 0;
  if (!stripBox) return ['no strip'];
  const points: [number, number][] = [];
  for (let x = 2; x < innerWidth; x += 12)
    for (let y = stripBox.top; y < Math.min(stripBox.bottom + 16, menuTop); y += 6) points.push([x, y]);
  return points
    .map(([x, y]) => document.elementFromPoint(x, y))
    .filter((element) => element?.closest('main'))
    .map((element) => element?.textContent.slice(0, 40) ?? '');
};

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
    const isLow = height < 480;

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
        const stripBox = await boxOf(strip(page, translate));
        expect(stripBox.height, 'one row').toBe(48);
        const content = await boxOf(page.locator('#content > :last-child'));
        // In landscape the strip is part of the top bar, elsewhere of the menu.
        const menuBox = await boxOf(page.getByRole('navigation', { name: translate('common:menu.label') }));
        const endOfSpace = isLow ? menuBox.y : stripBox.y - GAP_PX;
        expect(content.y + content.height, `end of ${path}`).toBeLessThanOrEqual(endOfSpace);
        const bar = isLow ? await boxOf(page.getByRole('banner')) : menuBox;
        const overhang = isLow
          ? stripBox.y + stripBox.height - (bar.y + bar.height)
          : bar.y - (stripBox.y + stripBox.height + 2 * GAP_PX);
        expect(overhang, `nothing shows between strip and bar of ${path}`).toBeLessThanOrEqual(0);
        const homeButton = await boxOf(page.locator('.menu-home'));
        expect(homeButton.y, 'the home button is inside the menu').toBeGreaterThanOrEqual(menuBox.y);
      }
      if (isLow) return;
      // In the middle of a page, what the strip and the home button cover is only background of the menu.
      await page.goto('/user/statement');
      await expect(strip(page, translate)).toBeVisible();
      const covered = await page.evaluate(findCoveredContent);
      expect(covered).toEqual([]);
      // The chat button is above the strip.
      await page.goto('/user/contact');
      await expect(strip(page, translate)).toBeVisible();
      const [chat, { y: stripTop }] = await Promise.all([
        boxOf(buttonByName(page, translate('chat:open'))),
        boxOf(strip(page, translate)),
      ]);
      expect(chat.y + chat.height).toBeLessThanOrEqual(stripTop - GAP_PX);
    });
  });
