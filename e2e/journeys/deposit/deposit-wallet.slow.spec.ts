import type { WebSocketRoute } from '@playwright/test';
import { depositSheet, openDepositMethod, decryptGiftLink } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { makeGift } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('deposit from the wallet app', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('the wallet app method AUTO shows the account with copy, the minimum of 2 baht, and that bank QRs cannot be paid [R-WAPP-01]', async ({
    memberPage,
  }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sheet = await openDepositMethod(memberPage, 'wallet', translate('deposit:walletApp'));
    await expect(sheet.getByRole('definition').filter({ hasText: '080-000-0001' })).toBeVisible();
    await expect(sheet).toContainText('KRAPAO');
    await expect(sheet).toContainText('ขั้นต่ำ ฿2.00');
    await expect(sheet).toContainText(translate('deposit:noBankQr'));
    await buttonByName(sheet, translate('deposit:copyNumber')).click();
    await expect(memberPage.locator('[data-toast=success]')).toHaveText('คัดลอกแล้ว: 0800000001');
  });

  test('a gift link cannot be sent empty; it is sent encrypted, and its money is credited [R-WAPP-01]', async ({
    memberPage,
  }) => {
    test.setTimeout(120_000);
    const sheet = await openDepositMethod(memberPage, 'wallet', translate('deposit:giftLink'));
    const field = sheet.getByLabel(translate('deposit:giftField'));
    const sendButton = buttonByName(sheet, translate('deposit:giftSend'));
    await expect(sheet).toContainText('ขั้นต่ำ ฿2.00');
    await expect(sheet).toContainText(translate('deposit:noBankQr'));
    await expect(sendButton).toBeDisabled();
    await field.fill('   ');
    await expect(sendButton).toBeDisabled();
    const { link } = await makeGift(45);
    await field.fill(link);
    const giftRequest = memberPage.waitForRequest('**/api/wallet/truelink');
    await sendButton.click();
    const body = (await giftRequest).postDataJSON() as { link: string };
    expect(body.link).not.toContain('truemoney');
    expect(decryptGiftLink(body.link)).toBe(link);
    await expect(depositSheet(memberPage).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
  });

  test('only the gift link of a pasted or typed message is sent, in canonical form [R-WAPP-01]', async ({
    memberPage,
  }) => {
    const sheet = await openDepositMethod(memberPage, 'wallet', translate('deposit:giftLink'));
    const field = sheet.getByLabel(translate('deposit:giftField'));
    const links: string[] = [];
    await memberPage.route('**/api/wallet/truelink', (route) => {
      links.push(decryptGiftLink((route.request().postDataJSON() as { link: string }).link));
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
    await buttonByName(sheet, translate('deposit:giftSend')).click();
    for (const typedLink of [link.replace('https://', ''), `For you: ${link.replace('.com', '.\u200bcom')}`]) {
      await expect(field).toHaveValue('');
      await field.fill(typedLink);
      await buttonByName(sheet, translate('deposit:giftSend')).click();
    }
    await expect.poll(() => links).toEqual([link, link, link]);
  });

  test('an unusable gift link, a used one, and one still being checked each show their own message [R-WAPP-01]', async ({
    memberPage,
  }) => {
    const sheet = await openDepositMethod(memberPage, 'wallet', translate('deposit:giftLink'));
    const field = sheet.getByLabel(translate('deposit:giftField'));
    const sendButton = buttonByName(sheet, translate('deposit:giftSend'));
    await field.fill('https://example.test/campaign/?v=nothing');
    await sendButton.click();
    await expect(sheet.getByRole('alert')).toHaveText(translate('errors:errorMsg.TRUELINK_INVALID'));
    await field.fill('https://gift.truemoney.com/campaign/?v=x');
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    const giftReplies = [
      { status: 409, json: { message: 'TRUELINK_DUPLICATE' } },
      { status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } },
    ];
    await memberPage.route('**/api/wallet/truelink', (route) => route.fulfill(giftReplies.shift()));
    await sendButton.click();
    await expect(sheet.getByRole('alert')).toHaveText(translate('errors:errorMsg.TRUELINK_DUPLICATE'));
    await field.fill('https://gift.truemoney.com/campaign/?v=y');
    await sendButton.click();
    const waiting = sheet.getByRole('status').filter({ hasText: translate('deposit:giftWaiting') });
    await expect(waiting).toContainText(`${translate('money:fee')} ฿0`);
    await expect(field).toHaveValue('');
    await expect(sendButton).toBeDisabled();
  });
});

test.describe('a gift link that waits', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a pending gift link is polled until its failure is shown; a credited one is not polled again', async ({
    memberPage,
  }) => {
    const sheet = await openDepositMethod(memberPage, 'wallet', translate('deposit:giftLink'));
    const field = sheet.getByLabel(translate('deposit:giftField'));
    const waitingText = sheet.getByText(translate('deposit:giftWaiting'));
    const waitingReply = { status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } };
    const finalReplies = [
      [{ status: 400, json: { message: 'TRUELINK_INVALID', detail: 'EXPIRED' } }, sheet.getByRole('alert')],
      [
        { status: 409, json: { message: 'TRUELINK_DUPLICATE', detail: 'SENT_BEFORE' } },
        memberPage.locator('[data-toast=success]', { hasText: translate('deposit:arrived') }),
      ],
    ] as const;
    await memberPage.clock.install();
    for (const [finalReply, message] of finalReplies) {
      const links: string[] = [];
      let currentReply: typeof waitingReply | typeof finalReply = waitingReply;
      await memberPage.route('**/api/wallet/truelink', (route) => {
        links.push(decryptGiftLink((route.request().postDataJSON() as { link: string }).link));
        return route.fulfill(currentReply);
      });
      await field.fill('https://gift.truemoney.com/campaign/?v=z');
      await buttonByName(sheet, translate('deposit:giftSend')).click();
      await expect(waitingText).toBeVisible();
      currentReply = finalReply;
      // The polling timer may start a moment after the text appears.
      await expect(async () => {
        await memberPage.clock.fastForward(15_000);
        await expect.poll(() => links.length, { timeout: 5_000 }).toBeGreaterThan(1);
      }).toPass();
      await expect(message).toBeVisible();
      await expect(waitingText).toHaveCount(0);
      expect(new Set(links).size, 'it is the same link that is asked about').toBe(1);
      await memberPage.unroute('**/api/wallet/truelink');
    }
  });

  test('after a pending gift link is credited, another deposit is possible, and nothing is polled', async ({
    memberPage,
  }) => {
    const { promise: socketOpened, resolve: isOpen } = Promise.withResolvers<WebSocketRoute>();
    await memberPage.routeWebSocket(/\/socket\.io\//, (page) => {
      const server = page.connectToServer();
      server.onMessage((packet) => {
        page.send(packet);
        if (String(packet).includes('"joined":true')) isOpen(page);
      });
    });
    await memberPage.reload();
    const sheet = await openDepositMethod(memberPage, 'wallet', translate('deposit:giftLink'));
    await memberPage.route('**/api/wallet/truelink', (route) =>
      route.fulfill({ status: 202, json: { message: 'PROCESSING', reference: 'G1', status: 'PROCESSING' } }),
    );
    await sheet.getByLabel(translate('deposit:giftField')).fill('https://gift.truemoney.com/campaign/?v=z');
    await buttonByName(sheet, translate('deposit:giftSend')).click();
    const waitingText = sheet.getByText(translate('deposit:giftWaiting'));
    await expect(waitingText).toBeVisible();
    const depositEvent = {
      sequence: '999999999',
      kind: 'deposit',
      state: 'SUCCESS',
      reference: 'G1',
      amount: 5,
      at: '',
    };
    (await socketOpened).send(`42${JSON.stringify(['event', depositEvent])}`);
    await expect(sheet.getByText('+฿5.00')).toBeVisible();
    await buttonByName(sheet, translate('deposit:again')).click();
    await expect(sheet.getByLabel(translate('deposit:giftField'))).toBeVisible();
    await expect(waitingText).toHaveCount(0);
  });
});
