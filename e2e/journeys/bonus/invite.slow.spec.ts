import { isDeepStrictEqual } from 'node:util';
import { openSheetAndCloseBanners, openHome } from '../../support/home.ts';
import { api, type Member, newAddress, newMember } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { readQr } from '../../support/read-qr.ts';
import { playRound } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Registers an invitee with the member's code, who then loses a thousand baht: the inviter earns half a percent. */
async function invitePlayingFriend(inviter: Member): Promise<void> {
  const friend = await newMember({ name: 'มาลี เพื่อนดี', inviteCode: `PR${inviter.id}` });
  await fundWallet(friend, 1_000);
  const { username } = await openGameAccount(friend, 'pg');
  await transferMoney(friend, 'WALLET', 'pg', 1_000);
  await playRound('pg', username, 1_000, 0);
  await api('GET', '/api/wallet/refresh/slot', { token: friend.token });
}

/** Waits until the inviter's earnings are counted: in the background, at most once a minute. */
async function waitForEarnings({ token }: Member, amount: number): Promise<void> {
  const readEarned = async (): Promise<number> =>
    (await api<{ invite: { amount: number } }>('GET', '/api/wallet', { token })).body.invite.amount;
  // An open page may have triggered the count just before the invitee played.
  test.setTimeout(test.info().timeout + 75_000);
  await expect.poll(readEarned, { timeout: 75_000 }).toBe(amount);
}

async function readMemberCode({ token }: Member): Promise<string> {
  const { body } = await api<{ profile: { memberCode: string } }>('GET', '/api/wallet', { token });
  return body.profile.memberCode;
}

test.describe('inviting friends', () => {
  test("shown, QR, copied and shared invite links all open the registration page with PR and the member's id [R-INV-01]", async ({
    memberPage: page,
    member,
    context,
    browser,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.addInitScript(() => {
      Object.assign(navigator, {
        share: async (sharedData: object) => Object.assign(globalThis, { shared: sharedData }),
      });
    });
    await openHome(page);
    const memberCode = await readMemberCode(member);
    const link = new URL(`/register?code=PR${member.id}`, page.url()).href;
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    // The programme's percentage comes from the server's text.
    await expect(sheet.getByText(translate('invite:rate', { percent: '0.5' }))).toBeAttached();
    const linkText = sheet.getByRole('group', { name: translate('invite:link'), exact: true });
    await expect(linkText).toHaveText(link);
    await expect(linkText).toBeInViewport({ ratio: 1 });
    await expect.poll(() => linkText.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    const qrImage = sheet.getByRole('img', { name: translate('invite:qr') });
    await expect.poll(async () => readQr(await qrImage.screenshot({ animations: 'disabled' }))).toBe(link);
    const lineLink = await sheet.getByRole('link', { name: translate('invite:shareLine') }).getAttribute('href');
    expect(decodeURIComponent(lineLink ?? '')).toContain(`\n${link}`);
    const code = memberCode.replace(/^.{4}/, '$&-');
    await expect(sheet.getByRole('group', { name: translate('invite:code') })).toHaveText(code);
    await buttonByName(sheet, translate('invite:copyCode')).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await buttonByName(sheet, translate('invite:copy')).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await buttonByName(sheet, translate('invite:share')).click();
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { shared: unknown }).shared))
      .toEqual({
        text: translate('invite:shareText', { name: 'Krapao' }),
        url: link,
      });

    const friend = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } });
    const friendPage = await friend.newPage();
    await friendPage.goto(link);
    await expect(friendPage.getByRole('heading', { level: 1 })).toHaveText(translate('register:title'));
    await expect.poll(() => friendPage.evaluate(() => localStorage.getItem('invite code'))).toBe(`PR${member.id}`);
    await friend.close();
  });
});

test.describe('invited friends', () => {
  test('the table of invited friends shows who registered, the earned amounts and times, ten per page [R-INV-01]', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    await expect(sheet).toContainText(translate('invite:nobody'));
    await page.keyboard.press('Escape');
    await invitePlayingFriend(member);
    await waitForEarnings(member, 5);
    await openHome(page);
    await openSheetAndCloseBanners(page, translate, 'invite');
    const rows = sheet.getByRole('table', { name: translate('invite:invited') }).locator('tbody tr');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(/^มาลี/);
    await expect(rows).toContainText('฿5.00');
    await expect(rows).toContainText(/\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}:\d{2}$/);
    await expect(sheet.getByRole('navigation')).toHaveCount(0);
    await page.keyboard.press('Escape');

    const requestBodies: unknown[] = [];
    await page.route('**/api/invite', (route) => {
      const body = route.request().postDataJSON() as { page: number; limit: number };
      requestBodies.push(body);
      const invites = Array.from({ length: body.page === 3 ? 3 : 10 }, (_, i) => ({
        from: { name: `เพื่อน ${(body.page - 1) * 10 + i + 1}` },
        amount: i,
        createdAt: '2026-11-16T03:04:05.000Z',
      }));
      return route.fulfill({ json: { total: 23, percent: 5, invites } });
    });
    await openHome(page);
    await openSheetAndCloseBanners(page, translate, 'invite');
    await expect(rows).toHaveCount(10);
    await buttonByName(sheet, translate('parts:pagination.next')).click();
    await expect(rows.first()).toContainText('เพื่อน 11');
    await buttonByName(sheet, translate('parts:pagination.page', { page: 3 })).click();
    await expect(rows).toHaveCount(3);
    await expect(rows.last()).toContainText('16/11/2026 10:04:05');
    await expect(buttonByName(sheet, translate('parts:pagination.next'))).toBeDisabled();
    // A page may be asked for again by an event.
    const pageRequests = requestBodies.filter((body, index) => !isDeepStrictEqual(body, requestBodies[index - 1]));
    expect(pageRequests).toEqual([1, 2, 3].map((number) => ({ page: number, limit: 10 })));
  });

  test('a page of invited friends that fails to load leaves the previous one and the pager in place [R-NET-08]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/invite', (route) => {
      const { page: number } = route.request().postDataJSON() as { page: number };
      if (number > 1) return route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
      const invites = [{ from: { name: 'เพื่อน 1' }, amount: 0, createdAt: '2026-11-16T03:04:05.000Z' }];
      return route.fulfill({ json: { total: 11, percent: 0, invites } });
    });
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    const failedReply = page.waitForResponse((response) => response.status() === 500);
    await buttonByName(sheet, translate('parts:pagination.next')).click();
    await failedReply;
    await expect(sheet.locator('[aria-current=page]')).toHaveText('1');
    await expect(sheet.getByRole('cell', { name: 'เพื่อน 1' })).toBeVisible();
    await expect(page.locator('[data-toast], [role=alert]')).toHaveCount(0);
  });

  test('a list of invited friends that fails to load shows no error and leaves the invite link usable [R-NET-08]', async ({
    memberPage: page,
    member,
  }) => {
    await page.route('**/api/invite', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    await expect(sheet.getByRole('group', { name: translate('invite:link') })).toContainText(`PR${member.id}`);
    await expect(sheet.getByRole('heading', { name: translate('invite:invited') })).toHaveCount(0);
    await expect(page.locator('[data-toast], [role=alert]')).toHaveCount(0);
  });
});

test.describe('the referral bonus', () => {
  test('a referral bonus above zero is claimed into the wallet with its conditions shown; a refusal credits nothing [R-HOME-08]', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    const receiveButton = buttonByName(page, translate('home:receive'));
    await expect(receiveButton).toBeDisabled();
    await invitePlayingFriend(member);
    await waitForEarnings(member, 5);
    await openHome(page);
    await receiveButton.click();
    const question = dialogByName(page, translate('invite:receiveTitle', { amount: '฿5.00' }));
    // All entries are on the first page: there is nothing to scroll to.
    await expect(question).toContainText(translate('parts:terms.free'));
    await buttonByName(question, translate('common:cancel')).click();
    expect((await readWallet(member)).wallet.amount).toBe(0);

    await receiveButton.click();
    await buttonByName(question, translate('invite:receive')).click();
    // A second toast may report that the condition is met, because it requires no play.
    const received = translate('invite:received', { amount: '฿5.00' });
    await expect(page.locator('[data-toast=success]').filter({ hasText: received })).toBeVisible();
    await expect(page.locator('.fit-amount')).toHaveText('5.00');
    await expect(receiveButton).toBeDisabled();
    expect((await readWallet(member)).wallet.amount).toBe(5);
    const { body } = await api<{ conditions: unknown[] }>('GET', '/api/bonus/check/active', { token: member.token });
    expect(body.conditions).toEqual([]);

    // An outdated reply, as another device would still show.
    await page.route('**/api/wallet', async (route) => {
      const serverReply = await route.fetch();
      const wallet = (await serverReply.json()) as object;
      await route.fulfill({
        response: serverReply,
        json: { ...wallet, invite: { amount: 5, success: 150, fail: 10 } },
      });
    });
    await openHome(page);
    await receiveButton.click();
    await expect(question).toContainText(translate('parts:terms.success', { percent: 150 }));
    await expect(question).toContainText('฿7.50');
    await expect(question).toContainText(translate('parts:terms.fail', { percent: 10 }));
    await expect(question).toContainText('฿0.50');
    await buttonByName(question, translate('invite:receive')).click();
    await expect(page.locator('[data-toast=danger]')).toContainText(translate('errors:errorMsg.NO_INVITE_BONUS'));
    expect((await readWallet(member)).wallet.amount).toBe(5);
  });
});
