import { lookAgain, openGameDialog, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer } from '../../support/money.ts';
import { drawLotto, player } from '../../support/outside.ts';
import { creditShown } from '../../support/play.ts';
import { expect, test } from '../../support/test.ts';
import { button, card } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const NAME = 'หวยลูกทอง';

test('a lotto ticket is bought on the number pad, waits as an open bet, is drawn, and its win reaches the app [R-GAME-05]', async ({
  memberPage,
  member,
  context,
}) => {
  test.setTimeout(150_000);
  await fund(member, 60);
  const { username } = await openGame(member, 'goldendraw');
  await transfer(member, 'WALLET', 'goldendraw', 40);
  // A draw that has just begun is sold for longer than the test needs.
  await drawLotto('askmebet', 'balls');
  await openHome(memberPage);
  const dialog = await openGameDialog(memberPage, NAME);
  const game = await playInNewTab(context, dialog);
  const credit = Number((await player('askmebet', username)).balance);
  await expect(creditShown(game)).toHaveText(credit.toFixed(2));

  await button(game, '2 ตัวล่าง บาทละ 95').click();
  await button(game, 'กลับเลข').click();
  for (const digit of '29') await button(game, digit).click();
  await game.locator('#basket').click();
  const slip = game.getByRole('complementary');
  await expect(slip.getByRole('listitem')).toHaveCount(2);
  await slip.getByLabel('ราคาของ 92').fill('5');
  await expect(slip).toContainText('ถูกได้ 475');
  await button(slip, 'ซื้อ 15 บาท').click();
  await expect(slip).toContainText('รอผล');
  await expect(creditShown(game)).toHaveText((credit - 15).toFixed(2));
  await lookAgain(memberPage);
  await expect(dialog).toContainText(say('game:outstandingText'));

  await button(slip, 'ซื้อเพิ่ม').click();
  await drawLotto('askmebet', 'balls', '882917');
  await lookAgain(game);
  await expect(game.getByText('ยินดีด้วย คุณถูกรางวัล 950 บาท')).toBeVisible({ timeout: 30_000 });
  await button(game, 'ซื้องวดถัดไป').click();
  await game.getByRole('button', { name: 'โพยของฉัน' }).click();
  await expect(game.getByRole('article')).toContainText(['ถูกรางวัล']);
  await game.getByRole('button', { name: 'ผลรางวัล' }).click();
  await expect(game.getByRole('img', { name: '8 8 2 9 1 7' })).toBeVisible();

  await lookAgain(memberPage);
  await memberPage.keyboard.press('Escape');
  const won = (credit - 15 + 950).toLocaleString('en-US', { minimumFractionDigits: 2 });
  await expect(card(memberPage, NAME)).toContainText(won);
});
