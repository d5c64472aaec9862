import type { WebSocketRoute } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { totalBalanceText } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

/** Packets of the socket server: it closes the connection permanently, or is too busy for the connection. */
const DISCONNECT_PACKET = '41';
const REQUEST_LIMIT_PACKET = '44{"message":"REQUEST_LIMIT"}';

type SocketPair = { page: WebSocketRoute; server: WebSocketRoute };

/** Fault of the first connection, called with each packet of the page. @returns whether the packet is forwarded to the server */
const socketTroubles: Readonly<Record<string, (packet: string, socketPair: SocketPair) => boolean>> = {
  'that the server has ended': (packet, { page, server }) => {
    if (!packet.includes('"join"')) return true;
    page.send(DISCONNECT_PACKET);
    void Promise.all([page.close(), server.close()]);
    return false;
  },
  'that a busy server didn’t take': (packet, { page }) => {
    if (packet !== '40') return true;
    page.send(REQUEST_LIMIT_PACKET);
    return false;
  },
  'that a busy server didn’t let in': (packet, { page }) => {
    const [, acknowledgementId] = /^42(\d+)\["join"/.exec(packet) ?? [];
    if (acknowledgementId === undefined) return true;
    page.send(`43${acknowledgementId}[{"joined":false,"message":"REQUEST_LIMIT"}]`);
    return false;
  },
};

for (const [troubleName, causeTrouble] of Object.entries(socketTroubles)) {
  test(`the member’s line ${troubleName} comes back by itself, and money shows on the page as it comes`, async ({
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
