import { openBehindBanners, openHome, withoutLine } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, test, withinADay } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const WEEK_MS = 7 * 24 * 60 * 60_000;
const AHEAD = new URL('../../../tools/clock-ahead.mjs', import.meta.url).href;

/** A system that is a week ahead of its books: what is lost now is lost in the week that is over. */
test.describe('a week later', () => {
  test.describe.configure({ timeout: 120_000 });
  ownSystem({ NODE_OPTIONS: `--import ${AHEAD}`, CLOCK_AHEAD_MS: String(WEEK_MS) });

  test.beforeEach(withinADay);

  test('what was lost comes back in part, once, with its condition, which holds withdrawals back, and a line in the log; the wallet is reloaded [R-REF-01] [R-HOME-07] [R-BON-06]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 1_000);
    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 1_000);
    await play('pg', username, 900, 0);
    // No event that would reload the wallet as well.
    await withoutLine(page);
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'refund');
    // A hundred is left in the game: too much for a refund.
    await button(sheet, say('refund:receive', { amount: '฿45.00' })).click();
    await expect(page.locator('[data-toast=danger]')).toContainText(say('refund:refused.MONEY_LEFT'));
    await expect(page.locator('[data-toast]')).toHaveCount(0);
    await page.keyboard.press('Escape');

    await play('pg', username, 90, 0);
    await openHome(page);
    await openBehindBanners(page, say, 'refund');
    await expect(sheet).toContainText(say('parts:terms.success', { percent: 200 }));
    await expect(sheet).toContainText('฿99.00');
    await button(sheet, say('refund:receive', { amount: '฿49.50' })).click();
    await expect(page.locator('[data-toast=success]')).toContainText(
      say('refund:message.REFUND_RECEIVED', { amount: '฿49.50' }),
    );
    await expect(sheet).toContainText(say('refund:none'));
    await expect(sheet.getByRole('progressbar')).toHaveAttribute(
      'aria-valuetext',
      say('parts:condition.of', { amount: '฿49.50', target: '฿99.00' }),
    );
    await expect(sheet.getByRole('table', { name: say('refund:log') }).locator('tbody tr')).toHaveCount(1);
    await expect(sheet.getByRole('table').locator('tbody')).toContainText('฿49.50');
    const reloaded = page.waitForResponse('**/api/wallet');
    await page.keyboard.press('Escape');
    expect((await reloaded).status()).toBe(200);
    await expect(page.locator('.fit-amount')).toHaveText('59.50');
    expect((await walletOf(member)).wallet.amount).toBe(49.5);
    const again = await api('GET', '/api/refund/receive', { token: member.token });
    expect(again.body).toMatchObject({ message: 'NO_REFUND', detail: 'RECEIVED' });

    // What is paid in later can't be taken out either before the condition is met.
    await fund(member, 100);
    await openHome(page);
    await button(page, say('home:withdraw')).click();
    const withdrawal = dialog(page, say('withdraw:title'));
    const missing = say('parts:condition.missing', { amount: '฿49.50' });
    await expect(withdrawal.getByRole('region', { name: say('withdraw:conditions') })).toContainText(missing);
    await withdrawal.getByLabel(say('withdraw:amount')).fill('100');
    await button(withdrawal, say('withdraw:submit')).click();
    const refused = dialog(page, say('withdraw:failureTitle'));
    await expect(refused).toContainText(say('withdraw:refused.REFUND_CONDITION'));
    await expect(refused).toContainText(missing);
    await refused.getByRole('link', { name: say('withdraw:toBonuses') }).click();
    await expect(page.getByRole('main')).toContainText(say('bonus:others'));
    await expect(page.getByRole('main')).toContainText(missing);
  });
});
