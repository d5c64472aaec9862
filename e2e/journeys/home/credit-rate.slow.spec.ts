import {
  creditAmountText,
  expectCreditUnits,
  openBothGames,
  openHomeInLanguage,
  creditRateText,
} from '../../support/credits.ts';
import { openGameDialog } from '../../support/game.ts';
import { fundWallet, transferMoney } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

test.describe('a game that counts in credits', () => {
  test('a game in credits shows what ฿1 is worth there, and the converted amount in play and transfer, in each language', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(180_000);
    await openBothGames(member);
    await fundWallet(member, 2_000);
    for (const language of ['th', 'la', 'en'] as const) await expectCreditUnits(memberPage, language, '฿');
  });

  test("a game in credits shows the rate before its account is opened and on the way back; one in the wallet's unit shows none", async ({
    memberPage,
    member,
  }) => {
    const translate = translatorFor('th');
    await openHomeInLanguage(memberPage, 'th');
    const closedDialog = await openGameDialog(memberPage, 'Betflix');
    await expect(
      closedDialog.getByText(translate('game:rate', { rate: creditRateText(translate, '฿') })),
    ).toBeVisible();
    await memberPage.keyboard.press('Escape');
    const sameRateDialog = await openGameDialog(memberPage, 'PG SLOT');
    await expect(buttonByName(sameRateDialog, translate('game:play'))).toBeVisible();
    await expect(sameRateDialog).not.toContainText('=');
    await memberPage.keyboard.press('Escape');

    await openBothGames(member);
    await fundWallet(member, 300);
    await transferMoney(member, 'WALLET', 'betflix', 100);
    await openHomeInLanguage(memberPage, 'th');
    await buttonByName(memberPage, translate('home:transfer')).click();
    const sheet = dialogByName(memberPage, translate('transfer:title'));
    await sheet.getByLabel(translate('transfer:from'), { exact: true }).selectOption('betflix');
    const amount = sheet.getByLabel(translate('transfer:amount'));
    await amount.fill('40');
    await expect(amount).toHaveAccessibleDescription(
      `${translate('transfer:available', { amount: '฿100.00' })} ${translate('transfer:creditsIn', { name: 'Betflix', credits: creditAmountText(translate, '฿40.00', '400.00') })}`,
    );
  });
});
