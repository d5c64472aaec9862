import {
  type GameCode,
  GAMES,
  openAccountOption,
  openGameDialog,
  openMoreOptions,
  reopenGameDialog,
} from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { clearFaults, readGamePlayer, setFault, setGameServer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName as popup } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** A provider that is closed, refuses or stays silent affects every test, so these tests run alone. */
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

  const LAUNCH_TROUBLES = [
    { why: 'is closed for maintenance', gameServer: { maintenance: true }, detail: 'MAINTENANCE' },
    { why: 'refuses the launch', gameServer: { launchRefused: true }, detail: 'LAUNCH_REFUSED' },
    { why: 'does not reply', fault: 'timeout-lost', detail: 'PROVIDER_SILENT' },
  ] as const;
  for (const launchTrouble of LAUNCH_TROUBLES) {
    test(`when the provider ${launchTrouble.why}, the game dialog says so with the next step, its tab closes, and no money moves [R-GAME-03]`, async ({
      memberPage,
      member,
      context,
    }) => {
      await fundWallet(member, 50);
      const { username } = await openGameAccount(member, 'areaslot');
      await transferMoney(member, 'WALLET', 'areaslot', 20);
      const before = await readGamePlayer('areaslot', username);
      const dialog = await reopenGameDialog(memberPage, 'areaslot');
      if ('gameServer' in launchTrouble) await setGameServer('areaslot', launchTrouble.gameServer);
      else await setFault({ target: 'game:areaslot', fault: launchTrouble.fault, call: 'login', times: 1 });
      await buttonByName(dialog, translate('game:play')).click();
      const launchAlert = dialog.getByRole('alert').filter({ hasText: translate('game:launchFailed') });
      await expect(launchAlert).toContainText(translate(`game:launchTrouble.${launchTrouble.detail}`), {
        timeout: 20_000,
      });
      await expect(launchAlert).toContainText(translate('game:launchMoney'));
      await expect.poll(() => context.pages().length).toBe(1);
      await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
      expect((await readWallet(member)).wallet.amount).toBe(30);
      expect((await readGamePlayer('areaslot', username)).balance).toBe(before.balance);
    });
  }

  const silentFaults = [
    { code: 'areaslot', reason: 'a provider in maintenance', gameServer: { maintenance: true } },
    { code: 'pgslot', reason: 'a pool without an account left', gameServer: { pool: 0 } },
  ] as const satisfies readonly { code: GameCode; reason: string; gameServer: object }[];
  for (const { code, reason, gameServer } of silentFaults) {
    test(`a game account that cannot be opened at ${reason} shows the next step but no error, and can be opened later [R-NET-08]`, async ({
      memberPage,
    }) => {
      const dialog = await openGameDialog(memberPage, GAMES[code]);
      await setGameServer(code, gameServer);
      const activateReply = memberPage.waitForResponse((response) => response.url().endsWith(`/activate/${code}`));
      await (await openAccountOption(dialog)).click();
      expect((await activateReply).status()).toBe(503);
      await expect(buttonByName(dialog, translate('game:open'))).not.toHaveAttribute('aria-busy');
      await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
      await expect(memberPage.getByRole('alert')).toHaveCount(0);
      await expect(memberPage.getByRole('dialog')).toHaveCount(1);
      await expect(dialog).toContainText(translate('game:openAgain'));
      await setGameServer(code, { maintenance: false, pool: null });
      await buttonByName(dialog, translate('game:open')).click();
      await expect(dialog.getByRole('region', { name: translate('game:credentials') })).toBeVisible();
    });
  }

  test('a game in maintenance accepts no transfer, and its dialog says where the money is [R-GAME-03]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 50);
    await openGameAccount(member, 'areaslot');
    const dialog = await reopenGameDialog(memberPage, 'areaslot');
    await setGameServer('areaslot', { maintenance: true });
    await openMoreOptions(dialog);
    await dialog.getByLabel(translate('game:amount')).fill('20');
    await buttonByName(dialog, translate('game:transferOnly')).click();
    const failureDialog = popup(memberPage, translate('transfer:failureTitle'));
    await expect(failureDialog).toContainText(translate('transfer:refused.PROVIDER_MAINTENANCE'));
    expect((await readWallet(member)).wallet.amount).toBe(50);
  });
});
