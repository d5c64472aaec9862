import { openWay } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** A system of its own, as an operator with another least deposit at FP starts it. */
test.describe('FP_MINIMUM=25', () => {
  ownSystem({ FP_MINIMUM: '25' });

  test('the least deposit at FP and its first quick amount are those of the setting [R-QR-03]', async ({
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
