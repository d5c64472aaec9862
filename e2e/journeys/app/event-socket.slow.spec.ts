import type { Page, WebSocketRoute } from '@playwright/test';
import { AppProxy, type WebSocketFault } from '../../support/app-proxy.ts';
import { chatBubble, openChatWindow, sendInChatWindow, startConversation } from '../../support/chat.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { totalBalanceText } from '../../support/user-actions.ts';

/** Packets of the socket server: it closes the connection permanently, or is too busy for the connection. */
const DISCONNECT_PACKET = '41';
const REQUEST_LIMIT_PACKET = '44{"message":"REQUEST_LIMIT"}';

type SocketPair = { page: WebSocketRoute; server: WebSocketRoute };

/** Fault of the first connection, called with each packet of the page. @returns whether the packet is forwarded to the server */
const socketTroubles: Readonly<Record<string, (packet: string, socketPair: SocketPair) => boolean>> = {
  'that the server has closed': (packet, { page, server }) => {
    if (!packet.includes('"join"')) return true;
    page.send(DISCONNECT_PACKET);
    void Promise.all([page.close(), server.close()]);
    return false;
  },
  'that a busy server refused': (packet, { page }) => {
    if (packet !== '40') return true;
    page.send(REQUEST_LIMIT_PACKET);
    return false;
  },
  'whose join a busy server refused': (packet, { page }) => {
    const [, acknowledgementId] = /^42(\d+)\["join"/.exec(packet) ?? [];
    if (acknowledgementId === undefined) return true;
    page.send(`43${acknowledgementId}[{"joined":false,"message":"REQUEST_LIMIT"}]`);
    return false;
  },
};

for (const [troubleName, causeTrouble] of Object.entries(socketTroubles)) {
  test(`the member's event socket ${troubleName} reconnects automatically, and new money appears on the page`, async ({
    memberPage,
    member,
  }) => {
    let isTroubled = false;
    const { promise: socketJoined, resolve: isJoined } = Promise.withResolvers<void>();
    await memberPage.routeWebSocket(/\/socket\.io\//, (page) => {
      const server = page.connectToServer();
      server.onMessage((message) => {
        page.send(message);
        if (isTroubled && String(message).includes('"joined":true')) isJoined();
      });
      page.onMessage((packet) => {
        if (isTroubled || causeTrouble(String(packet), { page, server })) return server.send(packet);
        isTroubled = true;
      });
    });
    await openHome(memberPage);
    await expect(totalBalanceText(memberPage, translatorFor('th'))).toHaveText('0.00');
    await socketJoined;
    await fundWallet(member, 25);
    await expect(totalBalanceText(memberPage, translatorFor('th'))).toHaveText('25.00');
  });
}

/** Resolves when replies of long polling have contained the text `count` times. */
function waitForPolled(page: Page, text: string, count = 1): Promise<unknown> {
  let seenCount = 0;
  return page.waitForEvent('response', {
    predicate: async (response) => {
      if (!response.url().includes('transport=polling')) return false;
      const body = await response.text().catch(() => '');
      seenCount += body.split(text).length - 1;
      return seenCount >= count;
    },
  });
}

const webSocketFaults: Readonly<Record<WebSocketFault, string>> = {
  refused: 'refuses WebSockets',
  silent: 'opens WebSockets, but forwards no data of them',
};

for (const [fault, name] of Object.entries(webSocketFaults) as [WebSocketFault, string][]) {
  const translate = translatorFor('th');
  const proxyTest = test.extend<{ appProxy: AppProxy }>({
    appProxy: async ({}, use) => {
      const proxy = new AppProxy(fault);
      await use(proxy);
      proxy.stop();
    },
    baseURL: async ({ appProxy }, use) => use(await appProxy.start()),
  });

  proxyTest(
    `a network that ${name}: events and messages of support arrive within seconds by long polling`,
    async ({ memberPage, member }) => {
      const sendReply = await startConversation(member);
      const openedAt = Date.now();
      const memberJoined = waitForPolled(memberPage, '"joined":true');
      await openHome(memberPage);
      await memberJoined;
      expect(Date.now() - openedAt).toBeLessThan(12_000);
      const eventReceived = waitForPolled(memberPage, '["event",');
      await fundWallet(member, 25);
      const fundedAt = Date.now();
      await eventReceived;
      await expect(totalBalanceText(memberPage, translate)).toHaveText('25.00');
      expect(Date.now() - fundedAt).toBeLessThan(5_000);

      await memberPage.goto('/user/contact');
      const bothJoined = waitForPolled(memberPage, '"joined":true', 2);
      const chat = await openChatWindow(memberPage, translate);
      await bothJoined;
      await expect(chat.getByText(translate('chat:reconnecting'))).toHaveCount(0);
      await sendInChatWindow(chat, translate, 'ยังอยู่ไหม');
      const messageReceived = waitForPolled(memberPage, '["messaging",');
      await sendReply('อยู่ค่ะ');
      await messageReceived;
      await expect(chatBubble(chat, 'อยู่ค่ะ')).toBeVisible();
      await expect(chat.getByText(translate('chat:reconnecting'))).toHaveCount(0);
    },
  );
}
