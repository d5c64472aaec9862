import { openSheetAndCloseBanners, openHome, blockEventSocket } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { playRound } from '../../support/simulators.ts';
import { expect, test, waitForTimeBeforeMidnight } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const WEEK_MS = 7 * 24 * 60 * 60_000;
const CLOCK_AHEAD_URL = new URL('../../../tools/clock-ahead.mjs', import.meta.url).href;

/** The server's clock is a week ahead of the ledger's dates: a loss of today belongs to the past week. */
test.describe('a week later', () => {
  test.describe.configure({ timeout: 120_000 });
  useSeparateSystem({ NODE_OPTIONS: `--import ${CLOCK_AHEAD_URL}`, CLOCK_AHEAD_MS: String(WEEK_MS) });

  test.beforeEach(waitForTimeBeforeMidnight);

  test('a week later a share of the losses is refunded once, with its condition, a log entry and a reloaded wallet [R-REF-01] [R-HOME-07] [R-BON-06]', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 1_000);
    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 1_000);
    await playRound('pg', username, 900, 0);
    // Blocks events, which would reload the wallet too.
    await blockEventSocket(page);
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    // The game still holds a hundred baht: too much for a refund.
    await buttonByName(sheet, translate('refund:receive', { amount: '฿45.00' })).click();
    await expect(page.locator('[data-toast=danger]')).toContainText(translate('refund:refused.MONEY_LEFT'));
    await expect(page.locator('[data-toast]')).toHaveCount(0);
    await page.keyboard.press('Escape');

    await playRound('pg', username, 90, 0);
    await openHome(page);
    await openSheetAndCloseBanners(page, translate, 'refund');
    await expect(sheet).toContainText(translate('parts:terms.success', { percent: 200 }));
    await expect(sheet).toContainText('฿99.00');
    await buttonByName(sheet, translate('refund:receive', { amount: '฿49.50' })).click();
    await expect(page.locator('[data-toast=success]')).toContainText(
      translate('refund:message.REFUND_RECEIVED', { amount: '฿49.50' }),
    );
    await expect(sheet).toContainText(translate('refund:none'));
    await expect(sheet.getByRole('progressbar')).toHaveAttribute(
      'aria-valuetext',
      translate('parts:condition.of', { amount: '฿49.50', target: '฿99.00' }),
    );
    await expect(sheet.getByRole('table', { name: translate('refund:log') }).locator('tbody tr')).toHaveCount(1);
    await expect(sheet.getByRole('table').locator('tbody')).toContainText('฿49.50');
    const walletReloaded = page.waitForResponse('**/api/wallet');
    await page.keyboard.press('Escape');
    expect((await walletReloaded).status()).toBe(200);
    await expect(page.locator('.fit-amount')).toHaveText('59.50');
    expect((await readWallet(member)).wallet.amount).toBe(49.5);
    const repeatedReply = await api('GET', '/api/refund/receive', { token: member.token });
    expect(repeatedReply.body).toMatchObject({ message: 'NO_REFUND', detail: 'RECEIVED' });

    // A later deposit can't be withdrawn either before the condition is met.
    await fundWallet(member, 100);
    await openHome(page);
    await buttonByName(page, translate('home:withdraw')).click();
    const withdrawal = dialogByName(page, translate('withdraw:title'));
    const missingText = translate('parts:condition.missing', { amount: '฿49.50' });
    await expect(withdrawal.getByRole('region', { name: translate('withdraw:conditions') })).toContainText(missingText);
    await expect(buttonByName(withdrawal, translate('withdraw:submit'))).toBeDisabled();
    await withdrawal.getByRole('link', { name: translate('withdraw:toBonuses') }).click();
    await expect(page.getByRole('main')).toContainText(translate('bonus:others'));
    await expect(page.getByRole('main')).toContainText(missingText);
  });
});
