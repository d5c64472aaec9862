import { type GameCode, GAMES, openGameDialog, reopenHome } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { clearFaults, player, setFault, setGameServer } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog as popup } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** Providers that are closed, refuse or stay silent affect every test: these run alone. */
test.describe('a provider that can’t be played at', () => {
  test.beforeEach(async ({ memberPage }) => {
    await clearFaults();
    await openHome(memberPage);
  });
  test.afterEach(async () => {
    await clearFaults();
    await setGameServer('areaslot', { maintenance: false, launchRefused: false });
    await setGameServer('pgslot', { pool: null });
  });

  const troubles = [
    { why: 'is closed for maintenance', gameServer: { maintenance: true }, detail: 'MAINTENANCE' },
    { why: 'refuses to let the member in', gameServer: { launchRefused: true }, detail: 'LAUNCH_REFUSED' },
    { why: 'doesn’t answer', fault: 'timeout-lost', detail: 'PROVIDER_SILENT' },
  ] as const;
  for (const trouble of troubles) {
    test(`when the provider ${trouble.why}, the dialog says so and what to do, the tab goes, the money stays [R-GAME-03]`, async ({
      memberPage,
      member,
      context,
    }) => {
      await fund(member, 50);
      const { username } = await openGame(member, 'areaslot');
      await transfer(member, 'WALLET', 'areaslot', 20);
      const before = await player('areaslot', username);
      const dialog = await reopenHome(memberPage, 'areaslot');
      if ('gameServer' in trouble) await setGameServer('areaslot', trouble.gameServer);
      else await setFault({ target: 'game:areaslot', fault: trouble.fault, call: 'login', times: 1 });
      await button(dialog, say('game:play')).click();
      const alert = dialog.getByRole('alert').filter({ hasText: say('game:launchFailed') });
      await expect(alert).toContainText(say(`game:launchTrouble.${trouble.detail}`), { timeout: 20_000 });
      await expect(alert).toContainText(say('game:launchMoney'));
      await expect.poll(() => context.pages().length).toBe(1);
      await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
      expect((await walletOf(member)).wallet.amount).toBe(30);
      expect((await player('areaslot', username)).balance).toBe(before.balance);
    });
  }

  const silent = [
    { code: 'areaslot', why: 'a provider in maintenance', gameServer: { maintenance: true } },
    { code: 'pgslot', why: 'a pool without an account left', gameServer: { pool: 0 } },
  ] as const satisfies readonly { code: GameCode; why: string; gameServer: object }[];
  for (const { code, why, gameServer } of silent) {
    test(`opening an account at ${why} says nothing; what to do stands there anyway, and later it opens [R-NET-08]`, async ({
      memberPage,
    }) => {
      const dialog = await openGameDialog(memberPage, GAMES[code]);
      await setGameServer(code, gameServer);
      const answered = memberPage.waitForResponse((response) => response.url().endsWith(`/activate/${code}`));
      await button(dialog, say('game:open')).click();
      expect((await answered).status()).toBe(503);
      await expect(button(dialog, say('game:open'))).not.toHaveAttribute('aria-busy');
      await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
      await expect(memberPage.getByRole('alert')).toHaveCount(0);
      await expect(memberPage.getByRole('dialog')).toHaveCount(1);
      await expect(dialog).toContainText(say('game:openAgain'));
      await setGameServer(code, { maintenance: false, pool: null });
      await button(dialog, say('game:open')).click();
      await expect(dialog.getByRole('region', { name: say('game:credentials') })).toBeVisible();
    });
  }

  test('money doesn’t go into a game in maintenance, and the words say where it is [R-GAME-03]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 50);
    await openGame(member, 'areaslot');
    const dialog = await reopenHome(memberPage, 'areaslot');
    await setGameServer('areaslot', { maintenance: true });
    await dialog.getByLabel(say('game:amount')).fill('20');
    await button(dialog, say('game:transferOnly')).click();
    const failure = popup(memberPage, say('transfer:failureTitle'));
    await expect(failure).toContainText(say('transfer:refused.PROVIDER_MAINTENANCE'));
    expect((await walletOf(member)).wallet.amount).toBe(50);
  });
});
