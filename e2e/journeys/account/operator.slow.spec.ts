import { GAMES, openGameDialog, outsideRequests, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, newAccountNo, newPhone } from '../../support/member.ts';
import { openGame } from '../../support/money.ts';
import { asOperator } from '../../support/operator.ts';
import { ownSystem } from '../../support/own-system.ts';
import { creditShown } from '../../support/play.ts';
import { phoneStep, profileStep } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

// What an operator changes for everyone: on one system, which takes five seconds of processor time to start.
const system = ownSystem();

test.describe('a login name of more than 16 characters', () => {
  test('is shown whole, and posted cut at 16 where the form takes no more; where it takes all, all of it is [R-GAME-06]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const names = new Map<string, string>();
    for (const code of ['saming', 'naga']) names.set(code, (await openGame(member, code)).username);
    const { dataFolder } = system();
    // No account opened here has such a name: it represents one that the provider created earlier.
    await asOperator(dataFolder, 'alter table game_account drop constraint if exists game_account_username', []);
    await asOperator(dataFolder, "update game_account set username = username || 'LONGER' where member_id = $1", [
      member.id,
    ]);
    await openHome(page);
    for (const [code, most] of [
      ['saming', 16],
      ['naga', Infinity],
    ] as const) {
      const short = names.get(code) ?? '';
      expect(short).toHaveLength(16);
      const dialog = await openGameDialog(page, GAMES[code]);
      await button(dialog, say('game:show')).click();
      await expect(dialog.getByRole('region', { name: say('game:credentials') })).toContainText(`${short}LONGER`);
      const made = outsideRequests(context);
      const game = await playInNewTab(context, dialog);
      // The truncated name belongs to the player; the whole one to no player.
      if (code === 'saming') await expect(creditShown(game)).toHaveText(/^฿?0(\.00)?$/);
      else await expect(game.getByRole('heading', { level: 1 })).toHaveText('เข้าสู่ระบบไม่สำเร็จ');
      await expect(creditShown(game)).toHaveCount(code === 'saming' ? 1 : 0);
      const post = made.find((request) => request.method() === 'POST' && request.isNavigationRequest());
      const posted = new URLSearchParams(post?.postData() ?? '');
      expect(posted.get('username')).toBe(`${short}LONGER`.slice(0, most));
      expect(posted.get('password')?.length).toBeLessThanOrEqual(most);
      await game.close();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    }
  });
});

test.describe('registerOTP: false', () => {
  test('step 2 is not there: the phone alone leads to the profile, and a member registers without any code [R-REG-01]', async ({
    page,
  }) => {
    await asOperator(system().dataFolder, `update lookup_setting set value = $1 where name = 'registerOTP'`, ['false']);
    await expect.poll(async () => (await api('GET', '/api/lookup/registerOTP')).body).toEqual({ registerOTP: false });
    let sent = 0;
    page.on('request', (request) => (sent += request.url().endsWith('/api/otp/send') ? 1 : 0));
    await page.goto('/register');
    await expect(page.getByText(say('register:progress', { step: 1, steps: 3 }))).toBeVisible();
    await phoneStep(page, newPhone());
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
    await expect(page.getByText(say('register:progress', { step: 2, steps: 3 }))).toBeVisible();
    await profileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page).toHaveURL(/\/login$/);
    expect(sent).toBe(0);
  });
});
