import type { Locator, Page } from '@playwright/test';
import { GAMES } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, gameCard } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** Display time of toasts in ms. */
const TOAST_MS = 4_000;

/** Keeps toasts on the screen, so that a slow machine sees them too. */
const keepToasts = (page: Page): Promise<unknown> =>
  page.addInitScript((toastMs) => {
    const { setTimeout: start } = globalThis;
    globalThis.setTimeout = ((handler: () => void, ms?: number, ...rest: []) =>
      ms === toastMs ? 0 : start(handler, ms, ...rest)) as typeof setTimeout;
  }, TOAST_MS);

for (const viewport of [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
  { width: 844, height: 390 },
])
  test.describe(`at ${viewport.width} × ${viewport.height}`, () => {
    test.use({ viewport });

    test('a toast over a sheet covers neither its close button, its first field nor its action', async ({
      memberPage: page,
      member,
    }) => {
      test.setTimeout(180_000);
      await keepToasts(page);
      await fundWallet(member, 500);
      await openGameAccount(member, 'pg');
      const expectUncovered = async (sheet: Locator, elements: Readonly<Record<string, Locator>>): Promise<void> => {
        await expect(sheet).toBeVisible();
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await fundWallet(member, 20);
        await expect(sheet.locator('[data-toast=success]')).toBeInViewport({ ratio: 1 });
        await expectFullyVisible(page, {
          close: buttonByName(sheet, translate('common:close')).first(),
          ...elements,
        });
        await buttonByName(sheet.locator('[data-toast]'), translate('common:close')).click();
        await page.keyboard.press('Escape');
        await expect(sheet).toHaveCount(0);
      };
      await openHome(page);
      await buttonByName(page, translate('home:withdraw')).click();
      const withdrawal = dialogByName(page, translate('withdraw:title'));
      await expectUncovered(withdrawal, {
        field: withdrawal.getByLabel(translate('withdraw:amount')).locator('..'),
        submit: buttonByName(withdrawal, translate('withdraw:submit')),
      });
      await gameCard(page, GAMES.pg).press('Enter');
      const game = dialogByName(page, GAMES.pg);
      await expectUncovered(game, {
        field: game.getByLabel(translate('game:amount')).locator('..'),
        play: buttonByName(game, translate('game:play')),
      });
      await page.goto('/user/statement');
      await buttonByName(page, translate('statement:filter.open')).click();
      const filter = dialogByName(page, translate('statement:filter.open'));
      await expectUncovered(filter, {
        kind: filter.getByText(translate('money:filter.kind')),
        apply: buttonByName(filter, translate('money:filter.apply')),
      });
    });
  });
