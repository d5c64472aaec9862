import type { WebSocketRoute } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { total } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

/** Packets of the socket server: the connection is closed permanently; it is too busy for one. */
const SENT_AWAY = '41';
const NOT_TAKEN = '44{"message":"REQUEST_LIMIT"}';

type Line = { page: WebSocketRoute; server: WebSocketRoute };

/** Fault of the first connection, called with each packet of the page. @returns whether the packet reaches the server */
const troubles: Readonly<Record<string, (said: string, line: Line) => boolean>> = {
  'that the server has ended': (said, { page, server }) => {
    if (!said.includes('"join"')) return true;
    page.send(SENT_AWAY);
    void Promise.all([page.close(), server.close()]);
    return false;
  },
  'that a busy server didn’t take': (said, { page }) => {
    if (said !== '40') return true;
    page.send(NOT_TAKEN);
    return false;
  },
  'that a busy server didn’t let in': (said, { page }) => {
    const [, ask] = /^42(\d+)\["join"/.exec(said) ?? [];
    if (ask === undefined) return true;
    page.send(`43${ask}[{"joined":false,"message":"REQUEST_LIMIT"}]`);
    return false;
  },
};

for (const [what, trouble] of Object.entries(troubles)) {
  test(`the member’s line ${what} comes back by itself, and money shows on the page as it comes`, async ({
    memberPage,
    member,
  }) => {
    let isTroubled = false;
    const { promise: joined, resolve: isJoined } = Promise.withResolvers<void>();
    await memberPage.routeWebSocket(/\/socket\.io\//, (page) => {
      const server = page.connectToServer();
      server.onMessage((message) => {
        page.send(message);
        if (isTroubled && String(message).includes('"joined":true')) isJoined();
      });
      page.onMessage((said) => {
        if (isTroubled || trouble(String(said), { page, server })) return server.send(said);
        isTroubled = true;
      });
    });
    await openHome(memberPage);
    await expect(total(memberPage, speaking('th'))).toHaveText('0.00');
    await joined;
    await fund(member, 25);
    await expect(total(memberPage, speaking('th'))).toHaveText('25.00');
  });
}
