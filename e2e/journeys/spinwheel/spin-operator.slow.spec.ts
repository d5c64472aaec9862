import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import {
  buttonName,
  earnCoins,
  openWheel,
  setupOf,
  spinButton,
  spinOnPage,
  underPointer,
} from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const COMMAND = new URL('../../../server/src/cli/krapao.ts', import.meta.url).pathname;

type WheelFile = { slices: { code: string }[] };

/** A system of its own, whose operator publishes wheels and takes them away. */
test.describe('an operator who changes the wheel', () => {
  const system = ownSystem();

  const run = (...words: string[]) =>
    spawnSync(process.execPath, [COMMAND, 'wheel', ...words], {
      env: { ...process.env, DATA_DIR: system().dataFolder },
      encoding: 'utf8',
    });
  const operate = (...words: string[]): string => {
    const { status, stdout, stderr } = run(...words);
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  /** The current version; undefined when the wheel is closed. */
  const currentVersion = (): string | undefined => {
    const { stdout, stderr } = run();
    const [, version] = /^version (\d+),/m.exec(stdout) ?? [];
    if (version === undefined && !stderr.includes('There is no wheel')) throw new Error(stderr);
    return version;
  };
  /** From the next spin on every slice gives what this one gave. */
  const publishOnly = (only: string): void => {
    const wheel = JSON.parse(operate('file', '1')) as WheelFile;
    const chosen = wheel.slices.filter(({ code }) => code === only);
    const slices = ['-A', '-B', '-C'].flatMap((end) => chosen.map((slice) => ({ ...slice, code: `${only}${end}` })));
    const file = join(system().dataFolder, 'wheel-of-test.json');
    writeFileSync(file, JSON.stringify({ ...wheel, slices }));
    operate('publish', file, 'tester', 'for the journey');
  };
  const claims = async (page: Page): Promise<void> => {
    await page.getByRole('table').getByRole('button').first().click();
    await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
  };
  const closes = async (page: Page): Promise<void> => {
    await page
      .getByRole('dialog')
      .getByRole('button', { name: say('spinwheel:prizeClose') })
      .click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };

  test('while it is on a screen: the next spin stops on the new one; a bonus begins, a second one waits for its end [R-SPIN-02] [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 2);
    await openWheel(page);
    publishOnly('BONUS-WHEEL');
    const { code } = await spinOnPage(page, say);
    expect(code).toMatch(/^BONUS-WHEEL-[ABC]$/);
    const { sliceList } = (await setupOf(member)).activeSpinwheel;
    expect((await underPointer(page, sliceList)).code).toBe(code);
    await closes(page);
    await expect(page.getByRole('list', { name: say('spinwheel:odds') }).getByText('33.33%')).toHaveCount(3);
    await spinOnPage(page, say);
    await closes(page);
    await expect(page.getByRole('table').getByRole('button')).toHaveCount(2);
    await claims(page);
    const done = dialog(page, say('spinwheel:claimedTitle'));
    await expect(done).toContainText(say('spinwheel:wentTo.bonus'));
    await button(done, say('common:ok')).click();
    await expect(page.getByRole('table').getByRole('button')).toHaveCount(1);
    await claims(page);
    const refused = dialog(page, say('spinwheel:claimFailed'));
    await expect(refused).toContainText(say('spinwheel:error.BONUS_ALREADY_ACTIVE'));
    await button(refused, say('common:ok')).click();
  });

  test('who won goods is led to the people that hand them over [R-SPIN-03]', async ({ memberPage: page, member }) => {
    await earnCoins(member, 1);
    publishOnly('GOODS-BAG');
    await openWheel(page);
    const { label } = await spinOnPage(page, say);
    await expect(page.getByRole('dialog')).toContainText(say('spinwheel:prizeGoods'));
    await closes(page);
    const table = page.getByRole('table', { name: say('spinwheel:coupons') });
    await table.getByRole('button', { name: `${say('spinwheel:claim')} · ${label}` }).click();
    const explained = dialog(page, say('spinwheel:goodsTitle'));
    await expect(explained).toContainText(label);
    await button(explained, say('spinwheel:contact')).click();
    await expect(page).toHaveURL(/\/user\/contact$/);
  });

  test('taken away: the page says that the wheel is closed and keeps the coins, and home offers refresh in its place [R-SPIN-01] [R-HOME-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 4);
    await openWheel(page);
    await expect(spinButton(page, say)).toHaveAccessibleName(buttonName(say, 4));
    // Each that is taken away leaves an older one in its place, if there is one.
    for (let version = currentVersion(); version !== undefined; version = currentVersion())
      operate('retire', version, 'tester', 'for the journey');
    await spinButton(page, say).click();
    await expect(page.getByText(say('spinwheel:closed'))).toBeVisible();
    await expect(page.getByRole('definition').first()).toHaveText('4');
    await openHome(page);
    await expect(button(page, say('home:refreshAll'))).toBeVisible();
  });
});
