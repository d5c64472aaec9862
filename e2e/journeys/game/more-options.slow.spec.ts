import { openAccountOption, openGameFromHome, openMoreOptions } from '../../support/game.ts';
import { openGameAccount } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.use({ viewport: { width: 390, height: 844 } });

test('login data and transfer-only are collapsed where a link opens the game, and expand by one click', async ({
  memberPage: page,
  member,
}) => {
  await openGameAccount(member, 'pg');
  const dialog = await openGameFromHome(page, 'pg');
  const [show, transferOnly] = [translate('game:show'), translate('game:transferOnly')];
  await expect(buttonByName(dialog, translate('game:play'))).toBeVisible();
  for (const name of [show, transferOnly]) await expect(buttonByName(dialog, name)).toHaveCount(0);
  expect((await dialog.locator('summary').boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await openMoreOptions(dialog);
  await expect(buttonByName(dialog, transferOnly)).toBeDisabled();
  const showBox = await buttonByName(dialog, show).boundingBox();
  const transferBox = await buttonByName(dialog, transferOnly).boundingBox();
  expect(transferBox?.y ?? 0).toBeGreaterThanOrEqual((showBox?.y ?? 0) + (showBox?.height ?? 0) + 8);
  await openMoreOptions(dialog);
  await expect(buttonByName(dialog, show)).toHaveCount(0);
});

test('games with a form or fixed site show login data and transfer-only without a click', async ({
  memberPage: page,
  member,
}) => {
  await openGameAccount(member, 'naga');
  await openGameAccount(member, 'royal');
  const formGame = await openGameFromHome(page, 'naga');
  await expect(buttonByName(formGame, translate('game:show'))).toBeVisible();
  await expect(buttonByName(formGame, translate('game:transferOnly'))).toBeVisible();
  await expect(formGame.locator('details')).toHaveCount(0);
  const fixedSite = await openGameFromHome(page, 'royal');
  await expect(fixedSite.getByRole('region', { name: translate('game:credentials') })).toBeVisible();
  await expect(buttonByName(fixedSite, translate('game:transferOnly'))).toBeVisible();
  await expect(fixedSite.locator('details')).toHaveCount(0);
});

test('a newly opened game account shows its login', async ({ memberPage: page }) => {
  const dialog = await openGameFromHome(page, 'pg');
  await (await openAccountOption(dialog)).click();
  await expect(dialog.getByRole('region', { name: translate('game:credentials') })).toBeVisible();
});
