import { isDeepStrictEqual } from 'node:util';
import { openBehindBanners, openHome } from '../../support/home.ts';
import { api, type Member, newAddress, newMember } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { readQr } from '../../support/read-qr.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** An invitee who signed up by a member's code and lost a thousand baht: half a percent of it is earned. */
async function playingFriend(of: Member): Promise<void> {
  const friend = await newMember({ name: 'มาลี เพื่อนดี', inviteCode: `PR${of.id}` });
  await fund(friend, 1_000);
  const { username } = await openGame(friend, 'pg');
  await transfer(friend, 'WALLET', 'pg', 1_000);
  await play('pg', username, 1_000, 0);
  await api('GET', '/api/wallet/refresh/slot', { token: friend.token });
}

/** Waits until the earnings of an inviter are counted: in the background, at most once a minute. */
async function waitForEarnings({ token }: Member, amount: number): Promise<void> {
  const earned = async (): Promise<number> =>
    (await api<{ invite: { amount: number } }>('GET', '/api/wallet', { token })).body.invite.amount;
  // A page that was open may have had it counted just before there was anything.
  test.setTimeout(test.info().timeout + 75_000);
  await expect.poll(earned, { timeout: 75_000 }).toBe(amount);
}

test.describe('inviting friends', () => {
  test('the invite link is the register page with PR and the user id: to read, to scan, to copy, to share, and to use [R-INV-01]', async ({
    memberPage: page,
    member,
    context,
    browser,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.addInitScript(() => {
      Object.assign(navigator, { share: async (what: object) => Object.assign(globalThis, { shared: what }) });
    });
    await openHome(page);
    const link = new URL(`/register?code=PR${member.id}`, page.url()).href;
    const sheet = await openBehindBanners(page, say, 'invite');
    // What the operator's programme pays, by the server's word.
    await expect(sheet.getByText(say('invite:rate', { percent: '0.5' }))).toBeAttached();
    const written = sheet.getByRole('group', { name: say('invite:link') });
    await expect(written).toHaveText(link);
    await expect(written).toBeInViewport({ ratio: 1 });
    await expect.poll(() => written.evaluate((place) => place.scrollWidth <= place.clientWidth)).toBe(true);
    const picture = sheet.getByRole('img', { name: say('invite:qr') });
    await expect.poll(async () => readQr(await picture.screenshot({ animations: 'disabled' }))).toBe(link);
    const { body } = await api<{ profile: { memberCode: string } }>('GET', '/api/wallet', { token: member.token });
    const code = body.profile.memberCode.replace(/^.{4}/, '$&-');
    await expect(sheet.getByRole('group', { name: say('invite:code') })).toHaveText(code);
    await button(sheet, say('invite:copyCode')).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await button(sheet, say('invite:copy')).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await button(sheet, say('invite:share')).click();
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { shared: unknown }).shared))
      .toEqual({
        text: say('invite:shareText', { name: 'Krapao' }),
        url: link,
      });

    const friend = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } });
    const theirs = await friend.newPage();
    await theirs.goto(link);
    await expect(theirs.getByRole('heading', { level: 1 })).toHaveText(say('register:title'));
    await expect.poll(() => theirs.evaluate(() => localStorage.getItem('invite code'))).toBe(`PR${member.id}`);
    await friend.close();
  });

  test('the table names who signed up, what each has earned and when; ten a page [R-INV-01]', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'invite');
    await expect(sheet).toContainText(say('invite:nobody'));
    await page.keyboard.press('Escape');
    await playingFriend(member);
    await waitForEarnings(member, 5);
    await openHome(page);
    await openBehindBanners(page, say, 'invite');
    const rows = sheet.getByRole('table', { name: say('invite:invited') }).locator('tbody tr');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(/^มาลี/);
    await expect(rows).toContainText('฿5.00');
    await expect(rows).toContainText(/\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}:\d{2}$/);
    await expect(sheet.getByRole('navigation')).toHaveCount(0);
    await page.keyboard.press('Escape');

    const asked: unknown[] = [];
    await page.route('**/api/invite', (route) => {
      const body = route.request().postDataJSON() as { page: number; limit: number };
      asked.push(body);
      const invites = Array.from({ length: body.page === 3 ? 3 : 10 }, (_, i) => ({
        from: { name: `เพื่อน ${(body.page - 1) * 10 + i + 1}` },
        amount: i,
        createdAt: '2026-11-16T03:04:05.000Z',
      }));
      return route.fulfill({ json: { total: 23, percent: 5, invites } });
    });
    await openHome(page);
    await openBehindBanners(page, say, 'invite');
    await expect(rows).toHaveCount(10);
    await button(sheet, say('parts:pagination.next')).click();
    await expect(rows.first()).toContainText('เพื่อน 11');
    await button(sheet, say('parts:pagination.page', { page: 3 })).click();
    await expect(rows).toHaveCount(3);
    await expect(rows.last()).toContainText('16/11/2026 10:04:05');
    await expect(button(sheet, say('parts:pagination.next'))).toBeDisabled();
    // A page may be asked for again by an event.
    const pages = asked.filter((body, index) => !isDeepStrictEqual(body, asked[index - 1]));
    expect(pages).toEqual([1, 2, 3].map((number) => ({ page: number, limit: 10 })));
  });

  test('a page that can’t be had leaves the one before, with the way to the others [R-NET-08]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/invite', (route) => {
      const { page: number } = route.request().postDataJSON() as { page: number };
      if (number > 1) return route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
      const invites = [{ from: { name: 'เพื่อน 1' }, amount: 0, createdAt: '2026-11-16T03:04:05.000Z' }];
      return route.fulfill({ json: { total: 11, percent: 0, invites } });
    });
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'invite');
    const failed = page.waitForResponse((answer) => answer.status() === 500);
    await button(sheet, say('parts:pagination.next')).click();
    await failed;
    await expect(sheet.locator('[aria-current=page]')).toHaveText('1');
    await expect(sheet.getByRole('cell', { name: 'เพื่อน 1' })).toBeVisible();
    await expect(page.locator('[data-toast], [role=alert]')).toHaveCount(0);
  });

  test('a list that can’t be had takes nothing from the link, and nothing is said of it [R-NET-08]', async ({
    memberPage: page,
    member,
  }) => {
    await page.route('**/api/invite', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'invite');
    await expect(sheet.getByRole('group', { name: say('invite:link') })).toContainText(`PR${member.id}`);
    await expect(sheet.getByRole('heading', { name: say('invite:invited') })).toHaveCount(0);
    await expect(page.locator('[data-toast], [role=alert]')).toHaveCount(0);
  });
});

test.describe('the referral bonus', () => {
  test('is claimed into the wallet once it is above zero, with its conditions shown; a refusal is shown and gives nothing [R-HOME-08]', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    const receive = button(page, say('home:receive'));
    await expect(receive).toBeDisabled();
    await playingFriend(member);
    await waitForEarnings(member, 5);
    await openHome(page);
    await receive.click();
    const question = dialog(page, say('invite:receiveTitle', { amount: '฿5.00' }));
    // The whole is there from the beginning: nothing is left to reach.
    await expect(question).toContainText(say('parts:terms.free'));
    await button(question, say('common:cancel')).click();
    expect((await walletOf(member)).wallet.amount).toBe(0);

    await receive.click();
    await button(question, say('invite:receive')).click();
    // A second toast may say that the condition, which asks for no play, is met.
    const received = say('invite:received', { amount: '฿5.00' });
    await expect(page.locator('[data-toast=success]').filter({ hasText: received })).toBeVisible();
    await expect(page.locator('.fit-amount')).toHaveText('5.00');
    await expect(receive).toBeDisabled();
    expect((await walletOf(member)).wallet.amount).toBe(5);
    const { body } = await api<{ conditions: unknown[] }>('GET', '/api/bonus/check/active', { token: member.token });
    expect(body.conditions).toEqual([]);

    // A picture of before, as another device would have it.
    await page.route('**/api/wallet', async (route) => {
      const answer = await route.fetch();
      const wallet = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...wallet, invite: { amount: 5, success: 150, fail: 10 } } });
    });
    await openHome(page);
    await receive.click();
    await expect(question).toContainText(say('parts:terms.success', { percent: 150 }));
    await expect(question).toContainText('฿7.50');
    await expect(question).toContainText(say('parts:terms.fail', { percent: 10 }));
    await expect(question).toContainText('฿0.50');
    await button(question, say('invite:receive')).click();
    await expect(page.locator('[data-toast=danger]')).toContainText(say('errors:errorMsg.NO_INVITE_BONUS'));
    expect((await walletOf(member)).wallet.amount).toBe(5);
  });
});
