import { spawnSync } from 'node:child_process';
import {
  amountField,
  endedNotice,
  expectEnded,
  logInAgain,
  passwordField,
  typeAmount,
} from '../../support/ended-session.ts';
import { creditDisplay } from '../../support/game-bets.ts';
import { GAMES, openGameDialog, recordExternalRequests, playInNewTab } from '../../support/game.ts';
import { openHome, waitForEventSocketJoin } from '../../support/home.ts';
import { api, type Member, newAccountNo, newPhone } from '../../support/member.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { runOperatorSql } from '../../support/operator.ts';
import { completePhoneStep, completeProfileStep } from '../../support/register.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { readNewestSms } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

// Settings of an operator apply to everyone, so one separate system runs all these tests. Its start takes five seconds
// of processor time.
const system = useSeparateSystem();

const CLI_PATH = new URL('../../../server/src/cli/krapao.ts', import.meta.url).pathname;

/** Support changes the status of a member. */
function setStatus({ phone }: Member, ...status: string[]): void {
  const args = [CLI_PATH, 'members', 'status', phone, ...status, 'tester', 'for the journey'];
  const { stderr, status: exitCode } = spawnSync(process.execPath, args, {
    env: { ...process.env, DATA_DIR: system().dataFolder },
    encoding: 'utf8',
  });
  expect(exitCode, stderr).toBe(0);
}

test.describe('a session that ends without the member', () => {
  test('a session ended by a restriction is announced in both tabs; a later login restores each sheet with its amount', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    await fundWallet(member, 500);
    const socketJoined = waitForEventSocketJoin(page);
    await openHome(page);
    await socketJoined;
    const otherPage = await context.newPage();
    await otherPage.goto('/icon.svg');
    await openHome(otherPage);
    await typeAmount(page, 'withdraw', '123');
    await typeAmount(otherPage, 'transfer', '45');
    setStatus(member, 'restricted', 'TIME_OUT');
    await expectEnded(page, member.phone);
    await expectEnded(otherPage, member.phone);
    await logInAgain(page, member, true);
    // Once, in the form: no toast beside the notice repeats it.
    await expect(page.getByText(translate('errors:errorMsg.INVALID_USER_4'))).toHaveCount(1);
    await expect(endedNotice(page)).toBeVisible();
    setStatus(member, 'active');
    await logInAgain(page, member, true);
    await expect(amountField(page, 'withdraw')).toHaveValue('123');
    await expect(amountField(otherPage, 'transfer')).toHaveValue('45');
  });

  for (const [end, code] of [
    ['a restriction', 'INVALID_USER_4'],
    ['its age', 'EXPIRED_AUTH_TOKEN'],
  ] as const)
    test(`a session ended by ${end} is announced when a call is refused, without a toast, and the login restores the typed amount`, async ({
      memberPage: page,
      member,
    }) => {
      await fundWallet(member, 500);
      // The refused call reports the end, not the socket.
      await page.routeWebSocket(/\/socket\.io\//, () => undefined);
      await page.route('**/socket.io/**', () => undefined);
      await openHome(page);
      await typeAmount(page, 'withdraw', '321');
      const sheet = dialogByName(page, translate('withdraw:title'));
      await buttonByName(sheet, translate('withdraw:submit')).click();
      await expect(buttonByName(sheet, translate('withdraw:review.confirm'))).toBeVisible();
      const change =
        code === 'INVALID_USER_4'
          ? "update member set status = 'restricted', status_reason = 'TIME_OUT' where id = $1"
          : 'update member_session set expires_at = now() where member_id = $1';
      await runOperatorSql(system().dataFolder, change, [member.id]);
      // Another refused call may have closed the sheet already.
      const confirm = buttonByName(sheet, translate('withdraw:review.confirm'));
      await confirm.evaluateAll((buttons: HTMLElement[]) => buttons.forEach((button) => button.click()));
      await expectEnded(page, member.phone);
      if (code === 'INVALID_USER_4') setStatus(member, 'active');
      await passwordField(page).fill(member.password);
      await expect(page.getByText(translate(`errors:errorMsg.${code}`))).toHaveCount(0);
      await logInAgain(page, member);
      await expect(amountField(page, 'withdraw')).toHaveValue('321');
    });
});

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
    await runOperatorSql(
      dataFolder,
      `update operator_data_limit set hits = 2 where name = 'login.failure.address'`,
      [],
    );
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
    await runOperatorSql(
      system().dataFolder,
      `update operator_data_setting set value = $1 where name = 'registerOTP'`,
      ['false'],
    );
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
