import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName, totalBalanceText } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

test('the last known balance is shown with its time until the wallet has loaded, and is gone after logout [R-WALLET-08]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 1_234.5);
  await openHome(page);
  await expect(totalBalanceText(page, translate)).toHaveText('1,234.50');

  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/wallet', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  const plaque = page.getByRole('region', { name: translate('home:total') });
  await expect(totalBalanceText(page, translate)).toHaveText('1,234.50');
  await fundWallet(member, 100);
  await expect(plaque.locator('time').first()).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/);
  release();
  await expect(totalBalanceText(page, translate)).toHaveText('1,334.50');

  await buttonByName(page, translate('common:logout')).click();
  await expect(page).toHaveURL(/\/login/);
  const stored = await page.evaluate(() => [
    localStorage.getItem('last-balance'),
    sessionStorage.getItem('last-balance'),
  ]);
  expect(stored).toEqual([null, null]);
});

test('the eye hides every amount of the page, also before the app has loaded, until it is pressed again [R-WALLET-08]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 777.25);
  await openHome(page);
  await expect(totalBalanceText(page, translate)).toHaveText('777.25');
  const eye = buttonByName(page, translate('common:hideAmounts'));
  await eye.click();
  await expect(eye).toHaveAttribute('aria-pressed', 'true');
  const amounts = page.getByText('777.25');
  await expect(amounts).toHaveCount(0);
  await page.reload();
  await expect(totalBalanceText(page, translate)).toContainText('••••••');
  await expect(amounts).toHaveCount(0);
  await eye.click();
  await expect(totalBalanceText(page, translate)).toHaveText('777.25');
});
