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
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

test.describe('a game that counts in credits', () => {
  test('says what ฿1 is there, and what an amount becomes, where one plays and where one transfers, in each language', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(180_000);
    await openBothGames(member);
    await fundWallet(member, 2_000);
    for (const language of ['th', 'la', 'en'] as const) await expectCreditUnits(memberPage, language, '฿');
  });

  test('says so before the account is opened, and what comes back from there; one of the same unit says nothing', async ({
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
