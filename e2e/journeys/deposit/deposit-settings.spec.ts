import { depositSheet, openWay, unseal } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { appUrl, newMember } from '../../support/member.ts';
import { makeGift } from '../../support/outside.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const TRUELINK_SECRET = 'another secret ສຽງ';

/** One system for the settings of deposits, as an operator who changes them starts it. */
test.describe('settings of deposits', () => {
  ownSystem({ FP_MINIMUM: '25', TRUELINK_SECRET });

  test('TRUELINK_SECRET: the app encrypts a gift link with it, and the money is in', async ({ browser }) => {
    test.setTimeout(120_000);
    const context = await browser.newContext({ baseURL: appUrl() });
    const page = await context.newPage();
    await signIn(page, await newMember());
    await openHome(page);
    const sheet = await openWay(page, 'wallet', say('deposit:giftLink'));
    const { link } = await makeGift(45);
    await sheet.getByLabel(say('deposit:giftField')).fill(link);
    const sent = page.waitForRequest('**/api/wallet/truelink');
    await button(sheet, say('deposit:giftSend')).click();
    const body = (await sent).postDataJSON() as { link: string };
    expect(unseal(body.link, TRUELINK_SECRET)).toBe(link);
    await expect(depositSheet(page).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
    await context.close();
  });

  test('FP_MINIMUM: the least deposit at FP and its first quick amount are those of the setting [R-QR-03]', async ({
    memberPage,
  }) => {
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'qr', 'QR FP');
    const quickAmounts = sheet.getByRole('group', { name: say('common:quickAmounts') }).getByRole('button');
    const amount = sheet.getByLabel(say('deposit:amount'));
    const create = button(sheet, say('deposit:create'));
    await expect(quickAmounts).toHaveText(['25', '50', '100', '500', '1,000']);
    await amount.fill('24.99');
    await expect(create).toBeDisabled();
    await quickAmounts.first().click();
    await expect(amount).toHaveValue('25');
    await expect(create).toBeEnabled();
    await create.click();
    await expect(sheet.getByRole('img', { name: say('deposit:qrOf', { amount: '฿25.00' }) })).toBeVisible({
      timeout: 30_000,
    });
  });
});
