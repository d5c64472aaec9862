import { DAILY_BONUS_NAME, activeBonusRegion, openBonusPage, receiveBonus } from '../../support/bonus.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { playRound } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('a bonus that ends automatically', () => {
  for (const [endReason, stake, win, toneClass] of [
    ['SUCCESS', 10, 1_000, 'success'],
    ['FAILED', 110, 0, 'info'],
  ] as const) {
    test(`the end of a bonus with ${endReason} is announced when it happens, and replaces its progress until confirmed [R-BON-06]`, async ({
      memberPage: page,
      member,
    }) => {
      await fundWallet(member, 100);
      await receiveBonus(member, 'DAILY');
      const { username } = await openGameAccount(member, 'pg');
      await transferMoney(member, 'WALLET', 'pg', 110);
      await openHome(page);
      await playRound('pg', username, stake, win);
      await buttonByName(page, translate('home:checkBalance')).click();
      const endText = translate(`incentive:${endReason}`, { what: DAILY_BONUS_NAME });
      await expect(page.locator(`[data-toast=${toneClass}]`).filter({ hasText: endText })).toBeVisible();

      await openBonusPage(page);
      await expect(activeBonusRegion(page)).toHaveCount(0);
      const endNotice = page.getByRole('main').getByText(endText);
      await expect(endNotice).toBeVisible();
      await buttonByName(page, translate('incentive:seen')).click();
      await expect(endNotice).toHaveCount(0);
      await page.reload();
      await openBonusPage(page);
      await expect(endNotice).toHaveCount(0);
    });
  }
});
