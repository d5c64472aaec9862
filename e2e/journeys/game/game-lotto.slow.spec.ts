import { creditDisplay } from '../../support/game-bets.ts';
import { simulateTabReturn, openGameDialog, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { requestLottoDraw, readGamePlayer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, gameCard } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const GAME_NAME = 'หวยลูกทอง';

test('a lotto ticket is bought on the number pad, is an open bet until the draw, and its win reaches the app [R-GAME-05]', async ({
  memberPage,
  member,
  context,
}) => {
  test.setTimeout(150_000);
  await fundWallet(member, 60);
  const { username } = await openGameAccount(member, 'goldendraw');
  await transferMoney(member, 'WALLET', 'goldendraw', 40);
  // A draw that has just started sells tickets for longer than the test runs.
  await requestLottoDraw('askmebet', 'balls');
  await openHome(memberPage);
  const dialog = await openGameDialog(memberPage, GAME_NAME);
  const game = await playInNewTab(context, dialog);
  const credit = Number((await readGamePlayer('askmebet', username)).balance);
  await expect(creditDisplay(game)).toHaveText(credit.toFixed(2));

  await buttonByName(game, '2 ตัวล่าง บาทละ 95').click();
  await buttonByName(game, 'กลับเลข').click();
  for (const digitButton of '29') await buttonByName(game, digitButton).click();
  await game.locator('#basket').click();
  const slip = game.getByRole('complementary');
  await expect(slip.getByRole('listitem')).toHaveCount(2);
  await slip.getByLabel('ราคาของ 92').fill('5');
  await expect(slip).toContainText('ถูกได้ 475');
  await buttonByName(slip, 'ซื้อ 15 บาท').click();
  await expect(slip).toContainText('รอผล');
  await expect(creditDisplay(game)).toHaveText((credit - 15).toFixed(2));
  await simulateTabReturn(memberPage);
  await expect(dialog).toContainText(translate('game:outstandingText'));

  await buttonByName(slip, 'ซื้อเพิ่ม').click();
  await requestLottoDraw('askmebet', 'balls', '882917');
  await simulateTabReturn(game);
  await expect(game.getByText('ยินดีด้วย คุณถูกรางวัล 950 บาท')).toBeVisible({ timeout: 30_000 });
  await buttonByName(game, 'ซื้องวดถัดไป').click();
  await game.getByRole('button', { name: 'โพยของฉัน' }).click();
  await expect(game.getByRole('article')).toContainText(['ถูกรางวัล']);
  await game.getByRole('button', { name: 'ผลรางวัล' }).click();
  await expect(game.getByRole('img', { name: '8 8 2 9 1 7' })).toBeVisible();

  await simulateTabReturn(memberPage);
  await memberPage.keyboard.press('Escape');
  const wonCredit = (credit - 15 + 950).toLocaleString('en-US', { minimumFractionDigits: 2 });
  await expect(gameCard(memberPage, GAME_NAME)).toContainText(wonCredit);
});
