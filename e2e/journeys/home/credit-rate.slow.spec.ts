import { creditsIn, expectUnits, openBothGames, openIn, rateIn } from '../../support/credits.ts';
import { openGameDialog } from '../../support/game.ts';
import { fund, transfer } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

test.describe('a game that counts in credits', () => {
  test('says what ฿1 is there, and what an amount becomes, where one plays and where one transfers, in each language', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(180_000);
    await openBothGames(member);
    await fund(member, 2_000);
    for (const language of ['th', 'la', 'en'] as const) await expectUnits(memberPage, language, '฿');
  });

  test('says so before the account is opened, and what comes back from there; one of the same unit says nothing', async ({
    memberPage,
    member,
  }) => {
    const say = speaking('th');
    await openIn(memberPage, 'th');
    const closed = await openGameDialog(memberPage, 'Betflix');
    await expect(closed.getByText(say('game:rate', { rate: rateIn(say, '฿') }))).toBeVisible();
    await memberPage.keyboard.press('Escape');
    const same = await openGameDialog(memberPage, 'PG SLOT');
    await expect(button(same, say('game:open'))).toBeVisible();
    await expect(same).not.toContainText('=');
    await memberPage.keyboard.press('Escape');

    await openBothGames(member);
    await fund(member, 300);
    await transfer(member, 'WALLET', 'betflix', 100);
    await openIn(memberPage, 'th');
    const game = await openGameDialog(memberPage, 'Betflix');
    await button(game, say('game:takeHome', { amount: '฿100.00' })).click();
    const sheet = dialog(memberPage, say('transfer:title'));
    const amount = sheet.getByLabel(say('transfer:amount'));
    await amount.fill('40');
    await expect(amount).toHaveAccessibleDescription(
      `${say('transfer:available', { amount: '฿100.00' })} ${say('transfer:creditsIn', { name: 'Betflix', credits: creditsIn(say, '฿40.00', '400.00') })}`,
    );
  });
});
