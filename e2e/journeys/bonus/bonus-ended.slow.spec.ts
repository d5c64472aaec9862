import { DAILY, inUse, openBonuses, receive } from '../../support/bonus.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('a bonus that ends by itself', () => {
  for (const [how, stake, win, tone] of [
    ['SUCCESS', 10, 1_000, 'success'],
    ['FAILED', 110, 0, 'info'],
  ] as const) {
    test(`${how}: is announced when it happens, and shown in place of its progress until it is confirmed [R-BON-06]`, async ({
      memberPage: page,
      member,
    }) => {
      await fund(member, 100);
      await receive(member, 'DAILY');
      const { username } = await openGame(member, 'pg');
      await transfer(member, 'WALLET', 'pg', 110);
      await openHome(page);
      await play('pg', username, stake, win);
      await button(page, say('home:checkBalance')).click();
      const words = say(`incentive:${how}`, { what: DAILY });
      await expect(page.locator(`[data-toast=${tone}]`).filter({ hasText: words })).toBeVisible();

      await openBonuses(page);
      await expect(inUse(page)).toHaveCount(0);
      const line = page.getByRole('main').getByText(words);
      await expect(line).toBeVisible();
      await button(page, say('incentive:seen')).click();
      await expect(line).toHaveCount(0);
      await page.reload();
      await openBonuses(page);
      await expect(line).toHaveCount(0);
    });
  }
});
