import type { Page, Request, WebSocketRoute } from '@playwright/test';
import {
  startConversation,
  chatBubble,
  waitForRoomJoined,
  chatLog,
  openChatWindow,
  waitForStoredMessages,
  sendChatMessage,
  sendInChatWindow,
} from '../../support/chat.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const BACKEND_URL = 'https://chat-backend.example';
/** Far more than a few. */
const TRY_COUNT = 12;

/** A ticket in the format of the chat backend's tickets; it contains its purpose. */
const chatTicket = `e30.${Buffer.from(JSON.stringify({ room: 'room-there' })).toString('base64url')}.signature`;

/** Join packet of our own socket. The chat backend's socket joins a room of the same name with a ticket. */
const OWN_JOIN_PACKET = /"join",\{"room":"chat:[^"]*","token"/;

/** Routes all sockets through the test. @returns our own chat sockets that have joined, oldest first */
async function holdSockets(page: Page): Promise<WebSocketRoute[]> {
  const webSockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/socket\.io\//, (webSocket) => {
    const server = webSocket.connectToServer();
    webSocket.onMessage((frame) => {
      if (OWN_JOIN_PACKET.test(String(frame))) webSockets.push(webSocket);
      server.send(frame);
    });
  });
  return webSockets;
}

/** @returns the number of history requests and of their replies */
function countHistory(page: Page): { requestCount: number; replyCount: number } {
  const count = { requestCount: 0, replyCount: 0 };
  const isHistory = (request: Request): boolean => request.url().endsWith('/api/chat/history');
  page.on('request', (request) => void (isHistory(request) && count.requestCount++));
  page.on('requestfinished', (request) => void (isHistory(request) && count.replyCount++));
  return count;
}

/** Mocks the look-up: a chat backend, or none. */
const mockChatBackend = (page: Page, backend: { url: string; ticket: string } | null): Promise<unknown> =>
  page.route('**/api/chat/config', async (route) => {
    const serverReply = await route.fetch();
    await route.fulfill({ json: { ...((await serverReply.json()) as object), backend } });
  });

/** Makes the page count its failed connections to the chat backend, from its next load on. */
const countRefusedLines = (page: Page): Promise<unknown> =>
  page.addInitScript((host) => {
    const counters = { refusedLines: 0 };
    const OriginalWebSocket = WebSocket;
    Object.assign(globalThis, {
      counted: counters,
      WebSocket: class extends OriginalWebSocket {
        constructor(url: string, protocols?: string[]) {
          super(url, protocols);
          if (url.includes(host)) this.addEventListener('error', () => (counters.refusedLines += 1));
        }
      },
    });
  }, new URL(BACKEND_URL).host);
const countRefusedSockets = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { counted: { refusedLines: number } }).counted.refusedLines);

test.describe('the socket of the chat', () => {
  test("the chat joins the room of the prefix and the member's id with the token, and each message appears once [R-CHAT-06]", async ({
    memberPage: page,
    member,
  }) => {
    const sendReply = await startConversation(member);
    const sentPackets: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => void sentPackets.push(String(payload))));
    await page.goto('/user/contact');
    const roomJoined = waitForRoomJoined(page);
    const chat = await openChatWindow(page, translate);
    await roomJoined;
    const join = sentPackets.find((frame) => /"chat:.*"token"/.test(frame));
    expect(JSON.parse(join?.replace(/^\d+/, '') ?? '[]')).toEqual([
      'join',
      { room: `chat:${member.id}`, token: member.token },
    ]);
    await sendInChatWindow(chat, translate, 'ขอสอบถามหน่อย');
    await sendReply('เชิญค่ะ');
    await expect(chatBubble(chat, 'เชิญค่ะ')).toBeVisible();
    await expect(chatBubble(chat, 'เชิญค่ะ')).toHaveCount(1);
    await expect(chatBubble(chat, 'ขอสอบถามหน่อย')).toHaveCount(1);
  });

  test('a lost chat connection is polled every five seconds, and missed messages appear in order [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const sendReply = await startConversation(member);
    await sendChatMessage(member, 'ก่อนหลุด');
    await page.clock.install();
    const webSockets = await holdSockets(page);
    const history = countHistory(page);
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    await expect(chatBubble(chat, 'ก่อนหลุด')).toBeVisible();
    await sendReply('ได้ยิน');
    await expect(chatBubble(chat, 'ได้ยิน')).toBeVisible();
    // The window loads the history, and its socket loads it again after joining. A late reply would contain the missed
    // message.
    await expect.poll(() => history).toEqual({ requestCount: 2, replyCount: 2 });
    // Independent of when the clock was stopped: the retry runs at the end of the skipped time, then every five seconds.
    await page.clock.pauseAt(Date.now() + 10_000);
    await page.clock.fastForward(5_000);
    const before = webSockets.length;
    await webSockets.at(-1)?.close();
    // Replies are sent independently: each must arrive before the next is written.
    await sendReply('พลาดไปหนึ่ง');
    await waitForStoredMessages(member, 6);
    await sendChatMessage(member, 'จากอีกเครื่อง');
    await sendReply('พลาดไปสอง');
    await waitForStoredMessages(member, 8);
    await page.clock.runFor(4_900);
    expect(webSockets, 'not yet').toHaveLength(before);
    await expect(chatBubble(chat, 'พลาดไปหนึ่ง')).toHaveCount(0);
    await page.clock.runFor(200);
    await expect.poll(() => webSockets.length).toBe(before + 1);
    await expect(chatBubble(chat, 'พลาดไปสอง')).toBeVisible();
    await webSockets.at(-1)?.close();
    await page.clock.runFor(4_800);
    expect(webSockets, 'not yet again').toHaveLength(before + 1);
    await page.clock.runFor(200);
    await expect.poll(() => webSockets.length).toBe(before + 2);
    await page.clock.resume();
    const order = ['ก่อนหลุด', 'ได้ยิน', 'พลาดไปหนึ่ง', 'จากอีกเครื่อง', 'พลาดไปสอง'];
    const rows = chatLog(chat).locator('[data-key]');
    await expect(rows).toHaveCount(8);
    await expect(rows).toContainText(order);
  });

  test('after a reconnection the missed reply appears, and unsent messages are sent automatically [R-CHAT-06]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const sendReply = await startConversation(member);
    await page.goto('/user/contact');
    const whenJoined = waitForRoomJoined(page);
    const chat = await openChatWindow(page, translate);
    await whenJoined;
    await context.setOffline(true);
    await chat.getByLabel(translate('chat:message'), { exact: true }).fill('ส่งตอนไม่มีเน็ต');
    await buttonByName(chat, translate('chat:send')).click();
    await expect(buttonByName(chat, translate('chat:resend'))).toBeVisible();
    await sendReply('ตอบตอนออฟไลน์');
    await context.setOffline(false);
    // A failed connection is retried after five seconds.
    await expect(chatBubble(chat, 'ตอบตอนออฟไลน์')).toBeVisible({ timeout: 20_000 });
    await expect(buttonByName(chat, translate('chat:resend'))).toHaveCount(0);
    await expect(chatBubble(chat, 'ส่งตอนไม่มีเน็ต')).toHaveCount(1);
  });

  test('a lost chat connection is reported unobtrusively until it is back', async ({ memberPage: page, member }) => {
    const sendReply = await startConversation(member);
    const webSockets: WebSocketRoute[] = [];
    let isDown = false;
    await page.routeWebSocket(/\/socket\.io\//, (webSocket) => {
      webSockets.push(webSocket);
      // The client aborts an unanswered attempt after ten seconds.
      if (!isDown) webSocket.connectToServer();
    });
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    await sendReply('อยู่ในสายแล้ว');
    await expect(chatBubble(chat, 'อยู่ในสายแล้ว')).toBeVisible();
    isDown = true;
    for (const webSocket of webSockets) await webSocket.close();
    await expect(chat.getByText(translate('chat:reconnecting'))).toBeVisible();
    isDown = false;
    await expect(chat.getByText(translate('chat:reconnecting'))).toBeHidden({ timeout: 30_000 });
  });

  test('a chat whose room refuses every join reports it [R-CHAT-06]', async ({ memberPage: page }) => {
    await page.routeWebSocket(/\/socket\.io\//, (webSocket) => {
      const server = webSocket.connectToServer();
      webSocket.onMessage((frame) => server.send(String(frame).replace('"chat:', '"chat:not-')));
    });
    await page.route(/\/socket\.io\/.*transport=polling/, (route) => route.abort());
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    await expect(chat.getByText(translate('chat:refused'))).toBeVisible();
  });
});

test.describe('the socket of a chat backend', () => {
  test('with a chat backend the chat connects by WebSocket, retries every 0.5 s, shows typing, and shows each message once [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const sendReply = await startConversation(member);
    await sendChatMessage(member, 'มีใครอยู่ไหมคะ');
    const openedUrls: string[] = [];
    page.on('websocket', (socket) => openedUrls.push(new URL(socket.url()).host));
    const webSockets: WebSocketRoute[] = [];
    const joinPackets: string[] = [];
    // Our own socket sends no messages in this test.
    await page.routeWebSocket(/\/socket\.io\//, (webSocket) => {
      const server = webSocket.connectToServer();
      server.onMessage((frame) => !String(frame).includes('"messaging"') && webSocket.send(frame));
    });
    let isRefusing = false;
    await page.routeWebSocket(/chat-backend\.example/, (webSocket) => {
      webSockets.push(webSocket);
      // Nothing listens at that address, and the page's policy forbids connections to it.
      if (isRefusing) return void webSocket.connectToServer();
      webSocket.onMessage((rawPacket) => {
        const frame = String(rawPacket);
        if (frame === '40') webSocket.send('40{"sid":"there"}');
        else if (frame.startsWith('42')) {
          joinPackets.push(frame);
          webSocket.send(`43${/^42(\d+)/.exec(frame)?.[1] ?? ''}[{"joined":true}]`);
        }
      });
      // Neither side sends pings in this test.
      webSocket.send('0{"sid":"here","upgrades":[],"pingInterval":600000,"pingTimeout":20000,"maxPayload":1000000}');
    });
    await mockChatBackend(page, null);
    await page.goto('/user/contact');
    const whenJoined = waitForRoomJoined(page);
    let chat = await openChatWindow(page, translate);
    await expect(chatBubble(chat, 'มีใครอยู่ไหมคะ')).toBeVisible();
    await whenJoined;
    expect(new Set(openedUrls)).toEqual(new Set([new URL(page.url()).host]));

    await mockChatBackend(page, { url: BACKEND_URL, ticket: chatTicket });
    await countRefusedLines(page);
    // Installed before the socket, which uses the clock that exists at that time.
    await page.clock.install();
    await page.reload();
    chat = await openChatWindow(page, translate);
    await expect.poll(() => joinPackets.length).toBe(1);
    expect(joinPackets[0]).toContain(JSON.stringify({ room: 'room-there', ticket: chatTicket }));
    expect(webSockets[0]?.url()).toContain('transport=websocket');
    webSockets.at(-1)?.send('42["typing",{"room":"room-there"}]');
    await expect(chat.getByText(translate('chat:typing'))).toBeVisible();
    await sendReply('มีค่ะ');
    await waitForStoredMessages(member, 5);
    const invalidMessage = { _id: 'from-there', sequence: 3, sender: 'customer', createdAt: 'today' };
    for (const message of [
      { message_type: 'text', payload: { text: 'ไม่ได้พูด' } },
      { message_type: 'buttons', payload: {} },
      { message_type: 'generic', payload: { elements: [{ buttons: 1 }] } },
    ])
      webSockets.at(-1)?.send(`42["messaging",${JSON.stringify({ ...invalidMessage, message })}]`);
    await expect(chatBubble(chat, 'มีค่ะ')).toBeVisible();
    await expect(chat.getByText(translate('chat:typing'))).toBeHidden();
    await sendReply('ถามได้เลยค่ะ');
    await waitForStoredMessages(member, 6);
    webSockets.at(-1)?.send('42["messaging"]');
    await expect(chatBubble(chat, 'ถามได้เลยค่ะ')).toBeVisible();
    await expect(chatBubble(chat, 'มีค่ะ')).toHaveCount(1);
    await expect(chatBubble(chat, 'ไม่ได้พูด')).toHaveCount(0);
    await page.clock.pauseAt(Date.now() + 10_000);
    isRefusing = true;
    await webSockets.at(-1)?.close();
    for (let tryNumber = 1; tryNumber <= TRY_COUNT; tryNumber += 1) {
      await page.clock.runFor(450);
      expect(webSockets, 'not yet').toHaveLength(tryNumber);
      await page.clock.runFor(50);
      await expect.poll(() => webSockets.length).toBe(tryNumber + 1);
      // The half second starts when the page has detected the failure.
      await expect.poll(() => countRefusedSockets(page)).toBe(tryNumber);
    }
    isRefusing = false;
    await page.clock.runFor(550);
    await expect.poll(() => joinPackets.length).toBe(2);
    await expect(chatLog(chat)).toBeVisible();
  });
});
