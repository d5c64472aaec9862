import type { WebSocketRoute } from '@playwright/test';
import { depositSheet, openWay, unseal } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { makeGift } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('deposit from the wallet app', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('AUTO shows the receiving account with copy, the minimum of 2 baht and that bank QRs can’t be paid [R-WAPP-01]', async ({
    memberPage,
  }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sheet = await openWay(memberPage, 'wallet', say('deposit:walletApp'));
    await expect(sheet.getByRole('definition').filter({ hasText: '080-000-0001' })).toBeVisible();
    await expect(sheet).toContainText('KRAPAO');
    await expect(sheet).toContainText('ขั้นต่ำ ฿2.00');
    await expect(sheet).toContainText(say('deposit:noBankQr'));
    await button(sheet, say('deposit:copyNumber')).click();
    await expect(memberPage.locator('[data-toast=success]')).toHaveText('คัดลอกแล้ว: 0800000001');
  });

  test('a gift link: nothing to press while empty; it goes sealed, and the money is in [R-WAPP-01]', async ({
    memberPage,
  }) => {
    test.setTimeout(120_000);
    const sheet = await openWay(memberPage, 'wallet', say('deposit:giftLink'));
    const field = sheet.getByLabel(say('deposit:giftField'));
    const send = button(sheet, say('deposit:giftSend'));
    await expect(sheet).toContainText('ขั้นต่ำ ฿2.00');
    await expect(sheet).toContainText(say('deposit:noBankQr'));
    await expect(send).toBeDisabled();
    await field.fill('   ');
    await expect(send).toBeDisabled();
    const { link } = await makeGift(45);
    await field.fill(link);
    const sent = memberPage.waitForRequest('**/api/wallet/truelink');
    await send.click();
    const body = (await sent).postDataJSON() as { link: string };
    expect(body.link).not.toContain('truemoney');
    expect(unseal(body.link)).toBe(link);
    await expect(depositSheet(memberPage).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
  });

  test('of a pasted or typed message only its gift link is sent, in one spelling [R-WAPP-01]', async ({
    memberPage,
  }) => {
    const sheet = await openWay(memberPage, 'wallet', say('deposit:giftLink'));
    const field = sheet.getByLabel(say('deposit:giftField'));
    const links: string[] = [];
    await memberPage.route('**/api/wallet/truelink', (route) => {
      links.push(unseal((route.request().postDataJSON() as { link: string }).link));
      return route.fulfill({ status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } });
    });
    const link = `https://gift.truemoney.com/campaign/?v=${'aB3'.repeat(11)}xy`;
    const message = `ส่งซองของขวัญให้คุณ\n${link.replace('https', 'Https')}\nOpen it within 3 days`;
    await field.evaluate((element, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, message);
    await expect(field).toHaveValue(link);
    await button(sheet, say('deposit:giftSend')).click();
    for (const typed of [link.replace('https://', ''), `For you: ${link.replace('.com', '.\u200bcom')}`]) {
      await expect(field).toHaveValue('');
      await field.fill(typed);
      await button(sheet, say('deposit:giftSend')).click();
    }
    await expect.poll(() => links).toEqual([link, link, link]);
  });

  test('a link that can’t be used, one that was used, and one that is still being asked about are each told [R-WAPP-01]', async ({
    memberPage,
  }) => {
    const sheet = await openWay(memberPage, 'wallet', say('deposit:giftLink'));
    const field = sheet.getByLabel(say('deposit:giftField'));
    const send = button(sheet, say('deposit:giftSend'));
    await field.fill('https://example.test/campaign/?v=nothing');
    await send.click();
    await expect(sheet.getByRole('alert')).toHaveText(say('errors:errorMsg.TRUELINK_INVALID'));
    await field.fill('https://gift.truemoney.com/campaign/?v=x');
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    const answers = [
      { status: 409, json: { message: 'TRUELINK_DUPLICATE' } },
      { status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } },
    ];
    await memberPage.route('**/api/wallet/truelink', (route) => route.fulfill(answers.shift()));
    await send.click();
    await expect(sheet.getByRole('alert')).toHaveText(say('errors:errorMsg.TRUELINK_DUPLICATE'));
    await field.fill('https://gift.truemoney.com/campaign/?v=y');
    await send.click();
    await expect(sheet.getByRole('status').filter({ hasText: say('deposit:giftWaiting') })).toBeVisible();
    await expect(field).toHaveValue('');
    await expect(send).toBeDisabled();
  });
});

test.describe('a gift link that waits', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a pending link is followed: its failure is shown, and a credited one is not followed again', async ({
    memberPage,
  }) => {
    const sheet = await openWay(memberPage, 'wallet', say('deposit:giftLink'));
    const field = sheet.getByLabel(say('deposit:giftField'));
    const waits = sheet.getByText(say('deposit:giftWaiting'));
    const waiting = { status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } };
    const ends = [
      [{ status: 400, json: { message: 'TRUELINK_INVALID', detail: 'EXPIRED' } }, sheet.getByRole('alert')],
      [
        { status: 409, json: { message: 'TRUELINK_DUPLICATE', detail: 'SENT_BEFORE' } },
        memberPage.locator('[data-toast=success]', { hasText: say('deposit:arrived') }),
      ],
    ] as const;
    await memberPage.clock.install();
    for (const [end, message] of ends) {
      const links: string[] = [];
      let answer: typeof waiting | typeof end = waiting;
      await memberPage.route('**/api/wallet/truelink', (route) => {
        links.push(unseal((route.request().postDataJSON() as { link: string }).link));
        return route.fulfill(answer);
      });
      await field.fill('https://gift.truemoney.com/campaign/?v=z');
      await button(sheet, say('deposit:giftSend')).click();
      await expect(waits).toBeVisible();
      answer = end;
      // The clock of the asking may begin a moment after the words are there.
      await expect(async () => {
        await memberPage.clock.fastForward(15_000);
        await expect.poll(() => links.length, { timeout: 5_000 }).toBeGreaterThan(1);
      }).toPass();
      await expect(message).toBeVisible();
      await expect(waits).toHaveCount(0);
      expect(new Set(links).size, 'it is the same link that is asked about').toBe(1);
      await memberPage.unroute('**/api/wallet/truelink');
    }
  });

  test('when the money of a link that waits has come, more can be deposited, and nothing is waited for', async ({
    memberPage,
  }) => {
    const { promise: line, resolve: isOpen } = Promise.withResolvers<WebSocketRoute>();
    await memberPage.routeWebSocket(/\/socket\.io\//, (page) => {
      const server = page.connectToServer();
      server.onMessage((packet) => {
        page.send(packet);
        if (String(packet).includes('"joined":true')) isOpen(page);
      });
    });
    await memberPage.reload();
    const sheet = await openWay(memberPage, 'wallet', say('deposit:giftLink'));
    await memberPage.route('**/api/wallet/truelink', (route) =>
      route.fulfill({ status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } }),
    );
    await sheet.getByLabel(say('deposit:giftField')).fill('https://gift.truemoney.com/campaign/?v=z');
    await button(sheet, say('deposit:giftSend')).click();
    const waits = sheet.getByText(say('deposit:giftWaiting'));
    await expect(waits).toBeVisible();
    const news = { sequence: '999999999', kind: 'deposit', state: 'SUCCESS', reference: 'G1', amount: 5, at: '' };
    (await line).send(`42${JSON.stringify(['event', news])}`);
    await expect(sheet.getByText('+฿5.00')).toBeVisible();
    await button(sheet, say('deposit:again')).click();
    await expect(sheet.getByLabel(say('deposit:giftField'))).toBeVisible();
    await expect(waits).toHaveCount(0);
  });
});
