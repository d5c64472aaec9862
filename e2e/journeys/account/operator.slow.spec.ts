import { GAMES, openGameDialog, recordExternalRequests, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, newAccountNo, newPhone } from '../../support/member.ts';
import { openGameAccount } from '../../support/money.ts';
import { runOperatorSql } from '../../support/operator.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { creditDisplay } from '../../support/game-bets.ts';
import { readNewestSms } from '../../support/simulators.ts';
import { completePhoneStep, completeProfileStep } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

// Settings of an operator apply to everyone, so one separate system runs all these tests. Its start takes five seconds
// of processor time.
const system = useSeparateSystem();

test.describe('a login name of more than 16 characters', () => {
  test('a login name over 16 characters is displayed whole, and cut to 16 only in a launch form that takes no more [R-GAME-06]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const names = new Map<string, string>();
    for (const code of ['saming', 'naga']) names.set(code, (await openGameAccount(member, code)).username);
    const { dataFolder } = system();
    // Represents an account that the provider created earlier: new accounts never have such a name.
    await runOperatorSql(dataFolder, 'alter table game_account drop constraint if exists game_account_username', []);
    await runOperatorSql(dataFolder, "update game_account set username = username || 'LONGER' where member_id = $1", [
      member.id,
    ]);
    await openHome(page);
    for (const [code, maxLength] of [
      ['saming', 16],
      ['naga', Infinity],
    ] as const) {
      const shortUsername = names.get(code) ?? '';
      expect(shortUsername).toHaveLength(16);
      const dialog = await openGameDialog(page, GAMES[code]);
      await buttonByName(dialog, translate('game:show')).click();
      await expect(dialog.getByRole('region', { name: translate('game:credentials') })).toContainText(
        `${shortUsername}LONGER`,
      );
      const externalRequests = recordExternalRequests(context);
      const game = await playInNewTab(context, dialog);
      // The truncated name belongs to the player; no player has the whole name.
      if (code === 'saming') await expect(creditDisplay(game)).toHaveText(/^฿?0(\.00)?$/);
      else await expect(game.getByRole('heading', { level: 1 })).toHaveText('เข้าสู่ระบบไม่สำเร็จ');
      await expect(creditDisplay(game)).toHaveCount(code === 'saming' ? 1 : 0);
      const formPost = externalRequests.find((request) => request.method() === 'POST' && request.isNavigationRequest());
      const postedFields = new URLSearchParams(formPost?.postData() ?? '');
      expect(postedFields.get('username')).toBe(`${shortUsername}LONGER`.slice(0, maxLength));
      expect(postedFields.get('password')?.length).toBeLessThanOrEqual(maxLength);
      await game.close();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    }
  });
});

test.describe('wrong logins by others on the network', () => {
  test("others' failed logins on the network do not block a member who enters the SMS code offered at login, in each language [R-OPS-09]", async ({
    page,
    member,
    address,
  }) => {
    const { dataFolder } = system();
    await runOperatorSql(dataFolder, `update lookup_limit set hits = 2 where name = 'login.failure.address'`, []);
    const failElsewhere = async (): Promise<number> =>
      (await api('POST', '/api/login', { address, body: { username: newPhone(), password: 'not-the-password' } }))
        .status;
    await expect.poll(failElsewhere).toBe(429);
    // The code of the registration was sent less than a minute ago.
    await runOperatorSql(dataFolder, `update otp set created_at = created_at - interval '2 minutes' where phone = $1`, [
      member.phone,
    ]);
    for (const language of ['la', 'en', 'th'] as const) {
      const words = translatorFor(language);
      await page.goto('/login');
      await page.getByRole('combobox').selectOption(language);
      await page.getByLabel(words('login:phone')).fill(member.phone);
      await page.getByLabel(words('login:password'), { exact: true }).fill(member.password);
      await buttonByName(page, words('login:submit')).click();
      await expect(page.getByRole('alert')).toHaveText(words('login:limited'));
      await expect(buttonByName(page, words('login:sendCode'))).toBeVisible();
      await expect(buttonByName(page, words('login:submit'))).toHaveCount(0);
    }
    await buttonByName(page, translate('login:sendCode')).click();
    await expect(page.getByText(translate('register:codeSent', { phone: member.phone }))).toBeVisible();
    await buttonByName(page, translate('common:back')).click();
    await buttonByName(page, translate('login:sendCode')).click();
    await page.getByLabel(translate('register:code')).fill((await readNewestSms(member.phone)).code);
    await expect(page).toHaveURL(/\/user\/home$/);
  });
});

test.describe('registerOTP: false', () => {
  test('with registerOTP off, registration skips step 2, and a member registers without a code [R-REG-01]', async ({
    page,
  }) => {
    await runOperatorSql(system().dataFolder, `update lookup_setting set value = $1 where name = 'registerOTP'`, [
      'false',
    ]);
    await expect.poll(async () => (await api('GET', '/api/lookup/registerOTP')).body).toEqual({ registerOTP: false });
    let requestCount = 0;
    page.on('request', (request) => (requestCount += request.url().endsWith('/api/otp/send') ? 1 : 0));
    await page.goto('/register');
    await expect(page.getByText(translate('register:progress', { step: 1, steps: 3 }))).toBeVisible();
    await completePhoneStep(page, newPhone());
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
    await expect(page.getByText(translate('register:progress', { step: 2, steps: 3 }))).toBeVisible();
    await completeProfileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page).toHaveURL(/\/login$/);
    expect(requestCount).toBe(0);
  });
});
