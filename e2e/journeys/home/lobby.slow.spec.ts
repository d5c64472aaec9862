import { findAccessibilityFaults } from '../../support/accessible.ts';
import { GAMES, openGameDialog, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, gameCard } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.use({ viewport: { width: 390, height: 844 } });

test('the row of games is visible without scrolling, last played first, and each entry opens its game [R-WALLET-04]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await openGameAccount(member, 'joker2');
  await openGameAccount(member, 'pg');
  await openHome(page);
  const row = page.getByRole('region', { name: translate('lobby:row') });
  await expect(buttonByName(row, GAMES.pg)).toBeInViewport();
  const menu = await page.getByRole('navigation').last().boundingBox();
  const box = await row.boundingBox();
  expect((box?.y ?? 0) + 72).toBeLessThanOrEqual(menu?.y ?? 0);

  const game = await playInNewTab(context, await openGameDialog(page, GAMES.joker2));
  await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
  await game.close();
  await page.reload();
  await expect(row.getByRole('listitem').first()).toContainText(GAMES.joker2);
  await buttonByName(row, GAMES.pg).click();
  await expect(dialogByName(page, GAMES.pg)).toBeVisible();
});

test('games are found by name, ignoring case, and by kind, and favourites are stored [R-WALLET-04]', async ({
  memberPage: page,
}) => {
  await openHome(page);
  await buttonByName(page, translate('lobby:search')).click();
  const search = dialogByName(page, translate('lobby:search'));
  await search.getByLabel(translate('lobby:searchLabel')).fill('royal PAL');
  await expect(search.getByRole('listitem')).toHaveCount(1);
  await expect(search.getByRole('listitem')).toContainText(GAMES.royal);
  await search.getByLabel(translate('lobby:searchLabel')).fill('%');
  await expect(search.getByText(translate('lobby:none'))).toBeVisible();
  await search.getByLabel(translate('lobby:searchLabel')).fill('');
  await buttonByName(search, translate('home:category.lotto')).click();
  await expect(search.getByRole('listitem').filter({ hasText: GAMES.huayhd })).toHaveCount(1);
  await expect(search.getByRole('listitem').filter({ hasText: GAMES.pg })).toHaveCount(0);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await search.getByRole('listitem').filter({ hasText: GAMES.huayhd }).getByRole('button').first().click();

  const star = buttonByName(dialogByName(page, GAMES.huayhd), translate('game:favourite', { name: GAMES.huayhd }));
  const saved = page.waitForResponse('**/api/wallet/favourite/*');
  await star.click();
  // Shown before it is saved.
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await saved;
  await page.reload();
  await buttonByName(page, translate('lobby:search')).click();
  await buttonByName(search, translate('lobby:favourite')).click();
  await expect(search.getByRole('listitem')).toHaveCount(1);
  await expect(search.getByRole('listitem')).toContainText(GAMES.huayhd);
  const listed = translate('lobby:star', { name: GAMES.huayhd });
  await buttonByName(search, listed).click();
  await expect(search.getByRole('listitem')).toHaveCount(0);
  await buttonByName(search, translate('lobby:all')).click();
  await buttonByName(search, listed).click();
  await expect(buttonByName(search, listed)).toHaveAttribute('aria-pressed', 'true');
});

test('games are found by provider and in any spelling, in three languages [R-WALLET-04]', async ({
  memberPage: page,
}) => {
  for (const [language, canalName] of [
    ['th', 'ตลาดน้ำยามค่ำ'],
    ['la', 'ຕະຫຼາດນ້ຳຍາມຄ່ຳ'],
    ['en', 'Evening on the Canal'],
  ] as const) {
    const words = translatorFor(language);
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    await openHome(page);
    await buttonByName(page, words('lobby:search')).click();
    const search = dialogByName(page, words('lobby:search'));
    const field = search.getByLabel(words('lobby:searchLabel'));
    const found = search.getByRole('listitem');
    const canal = found.filter({ hasText: canalName });
    await expect(found.filter({ hasText: 'ASKMEBET' }).first()).toBeVisible();
    for (const typed of ['PG', 'ｐｇ', 'พีจี', 'ພີຈີ', 'p\u200bg', 'ตลาดน\u0e4d\u0e49\u0e32', 'ຕະຫຼາດນ້ຳ', 'canal PG']) {
      await field.fill(typed);
      await expect(canal, typed).toHaveCount(1);
      await expect(found.filter({ hasText: 'Betflix' }), typed).toHaveCount(0);
    }
    await field.fill('โจ๊กเกอร์');
    await expect(found).toHaveCount(1);
    await expect(found).toContainText(GAMES.joker2);
    await page.keyboard.press('Escape');
  }
});

test('a closed game shows until when in row, card, dialog and search; an open game does not [R-WALLET-04]', async ({
  memberPage: page,
  member,
}) => {
  await openGameAccount(member, 'pg');
  const slots: Record<string, object> = {};
  await page.route('**/api/wallet', async (route) => {
    const reply = await route.fetch();
    const wallet = (await reply.json()) as { slots: { code: string }[] };
    const changed = wallet.slots.map((slot) => ({ ...slot, ...slots[slot.code] }));
    await route.fulfill({ response: reply, json: { ...wallet, slots: changed } });
  });
  const closed = (closedUntil: string | null) => ({ inMaintenance: true, isFavourite: true, closedUntil });
  const [pgTime, royalTime] = ['01/01/2090 18:05', '02/01/2090 07:00'];
  slots['pg'] = closed('2090-01-01T11:05:00.000Z');
  slots['royal'] = closed('2090-01-02T00:00:00.000Z');
  // The announced time is over, and the game is still closed.
  slots['naga'] = closed('2020-01-01T00:00:00.000Z');
  await openHome(page);
  const text = (time: string): string => translate('lobby:closedUntil', { time });
  const row = page.getByRole('region', { name: translate('lobby:row') });
  const closedText = translate('home:inMaintenance');
  for (const [name, inRow, onCard] of [
    [GAMES.pg, text(pgTime), `${closedText} – ${pgTime}`],
    [GAMES.royal, text(royalTime), `${closedText} – ${royalTime}`],
    [GAMES.naga, closedText, closedText],
  ] as const) {
    await expect(row.getByRole('listitem').filter({ hasText: name })).toContainText(inRow);
    await expect(gameCard(page, name)).toContainText(onCard);
  }
  await expect(gameCard(page, GAMES.naga)).not.toContainText('–');
  await expect(row.getByRole('listitem').filter({ hasText: GAMES.joker2 })).not.toContainText(closedText);

  await row.getByRole('button').filter({ hasText: GAMES.royal }).click();
  const sheet = dialogByName(page, GAMES.royal);
  await expect(sheet).toContainText(text(royalTime));
  await page.keyboard.press('Escape');
  await buttonByName(page, translate('lobby:search')).click();
  const found = dialogByName(page, translate('lobby:search')).getByRole('listitem');
  await expect(found.filter({ hasText: GAMES.pg })).toContainText(text(pgTime));
  await expect(found.filter({ hasText: GAMES.naga })).toContainText(closedText);
  await expect(found.filter({ hasText: GAMES.joker2 })).not.toContainText(closedText);
  const closedTexts = [text(pgTime), text(royalTime), closedText];
  const isClosed = (await found.allTextContents()).map((shown) => closedTexts.some((part) => shown.includes(part)));
  expect(isClosed.lastIndexOf(false)).toBeLessThan(isClosed.indexOf(true));
  expect(await findAccessibilityFaults(page)).toEqual([]);
});

test('a game account that cannot be opened moves no money and says so [R-WALLET-03]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 300);
  await openHome(page);
  await page.route('**/api/wallet/activate/*', (route) =>
    route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'PROVIDER_SILENT' } }),
  );
  await buttonByName(page.getByRole('region', { name: translate('lobby:row') }), GAMES.pg).click();
  const sheet = dialogByName(page, GAMES.pg);
  await sheet.getByRole('button', { name: '100', exact: true }).click();
  await buttonByName(sheet, translate('game:transferAndPlay')).click();
  await expect(sheet.getByText(translate('game:launchFailed'))).toBeVisible();
  await expect(sheet.getByText(translate('game:launchMoney'))).toBeVisible();
  await expect(sheet).toContainText(translate('game:inWallet', { amount: '฿300.00' }));
});
