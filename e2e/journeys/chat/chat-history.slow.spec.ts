import {
  startConversation,
  chatBubble,
  countUnreadReplies,
  waitForRoomJoined,
  chatLog,
  openChatWindow,
  waitForStoredMessages,
  sendChatMessage,
} from '../../support/chat.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('the history of a conversation', () => {
  test('chat history loads in pages of ten without a jump, back to the first message; a button returns to the newest [R-CHAT-05]', async ({
    memberPage: page,
    member,
  }) => {
    const texts = Array.from({ length: 14 }, (_, index) => `ข้อความที่ ${index + 1}\n\n\n.`);
    await startConversation(member);
    for (const text of texts) await sendChatMessage(member, text);
    const historyRequests: { limit: number; skip: number }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/chat/history'))
        historyRequests.push(request.postDataJSON() as (typeof historyRequests)[number]);
    });
    await page.setViewportSize({ width: 390, height: 640 });
    await page.goto('/user/contact');
    const whenJoined = waitForRoomJoined(page);
    const chat = await openChatWindow(page, translate);
    await whenJoined;
    const log = chatLog(chat);
    const toEndButton = chat.getByRole('button', { name: translate('chat:toEnd') });
    await expect(log.getByText('ข้อความที่ 14')).toBeInViewport();
    await expect(log.getByText('ข้อความที่ 4', { exact: false }).first()).toHaveCount(0);
    await expect(toEndButton).toHaveCount(0);
    await log.evaluate((element) => element.scrollTo(0, -60));
    await expect.poll(() => log.evaluate((element) => element.scrollTop)).toBe(-60);
    await expect(toEndButton).toHaveCount(0);
    await log.evaluate((element) => element.scrollTo(0, -61));
    await expect(toEndButton).toBeVisible();
    expect(historyRequests.every(({ skip, limit }) => skip === 0 && limit === 10)).toBe(true);

    const { promise: historyReleased, resolve: releaseHistory } = Promise.withResolvers<void>();
    await page.route('**/api/chat/history', async (route) => {
      await historyReleased;
      await route.continue();
    });
    await log.evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    await expect(chat.getByText(translate('chat:older'))).toBeVisible();
    const fifthMessage = log.getByText(/^ข้อความที่ 5\s/);
    const before = await fifthMessage.boundingBox();
    releaseHistory();
    await expect(log.getByText(/^ข้อความที่ 1\s/)).toBeAttached();
    await expect(chat.getByText(translate('chat:beginning'))).toBeAttached();
    expect((await fifthMessage.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
    expect(historyRequests.at(-1)).toMatchObject({ skip: 10, limit: 10 });

    await toEndButton.click();
    await expect(log.getByText(/^ข้อความที่ 14\s/)).toBeInViewport();
    await expect(toEndButton).toHaveCount(0);
  });

  test('chat history is complete and in order however often the member scrolls up [R-CHAT-05]', async ({
    memberPage: page,
    member,
  }) => {
    const sendReply = await startConversation(member);
    const texts = Array.from({ length: 22 }, (_, index) => `ลำดับที่ ${index + 1}\n\n\n.`);
    // A customer may not send so many messages in a minute: support sends the last ones.
    for (const text of texts.slice(0, 12)) await sendChatMessage(member, text);
    for (const [index, text] of texts.entries()) {
      if (index < 12) continue;
      await sendReply(text);
      await waitForStoredMessages(member, 3 + index + 1);
    }
    const loadedPages: { skip: number; messages: Promise<{ sequence: number }[]> }[] = [];
    page.on('response', (response) => {
      if (!response.url().endsWith('/api/chat/history')) return;
      const { skip } = response.request().postDataJSON() as { skip: number };
      loadedPages.push({ skip, messages: response.json() as Promise<{ sequence: number }[]> });
    });
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    const log = chatLog(chat);
    await expect(log.getByText(/^ลำดับที่ 22\s/)).toBeInViewport();
    const countShown = (): Promise<number> => log.locator('[data-key]').count();
    for (const count of [10, 20, 25]) {
      await expect.poll(countShown).toBe(count);
      await log.evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    }
    await expect(chat.getByText(translate('chat:beginning'))).toBeAttached();
    const sequencesBySkip = new Map<number, number[]>();
    for (const { skip, messages } of loadedPages)
      sequencesBySkip.set(
        skip,
        (await messages).map(({ sequence }) => sequence),
      );
    const numbersDownFrom = (newestNumber: number, oldestNumber: number): number[] =>
      Array.from({ length: newestNumber - oldestNumber + 1 }, (_, position) => newestNumber - position);
    expect([...sequencesBySkip].toSorted(([firstSkip], [otherSkip]) => firstSkip - otherSkip)).toEqual([
      [0, numbersDownFrom(25, 16)],
      [10, numbersDownFrom(15, 6)],
      [20, numbersDownFrom(5, 1)],
    ]);
    const shownTexts = await log.getByText(/^ลำดับที่ \d+\s/).allInnerTexts();
    expect(shownTexts.map((text) => text.split('\n')[0])).toEqual(texts.map((text) => text.split('\n')[0]));
  });
});

test.describe('the history when calls fail', () => {
  test('older messages that fail to load can be requested again', async ({ memberPage: page, member }) => {
    await startConversation(member);
    for (let messageNumber = 1; messageNumber <= 12; messageNumber += 1)
      await sendChatMessage(member, `ข้อ ${messageNumber}\n\n\n.`);
    await page.route('**/api/chat/history', (route) =>
      (route.request().postDataJSON() as { skip: number }).skip > 0 ? route.abort() : route.continue(),
    );
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    await chatLog(chat).evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    await expect(chat.getByText(translate('chat:olderFailed'))).toBeVisible();
    await page.unroute('**/api/chat/history');
    await buttonByName(chat, translate('common:retry')).click();
    await expect(chatLog(chat).getByText(/^ข้อ 1\s/)).toBeAttached();
  });

  test('older and missed messages load while the socket is disconnected', async ({ memberPage: page, member }) => {
    const sendReply = await startConversation(member);
    for (let messageNumber = 1; messageNumber <= 12; messageNumber += 1)
      await sendChatMessage(member, `ข้อ ${messageNumber}\n\n\n.`);
    await page.routeWebSocket(/\/socket\.io\//, (webSocket) => webSocket.close());
    await page.route('**/socket.io/**', (route) => route.abort());
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    for (let index = 1; index <= 12; index += 1) await sendReply(`ใหม่ ${index}`);
    await waitForStoredMessages(member, 27);
    let requestCount = 0;
    page.on('request', (request) => (requestCount += Number(request.url().endsWith('/api/chat/history'))));
    await chatLog(chat).evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    await expect(chatBubble(chat, 'ใหม่ 12')).toBeAttached();
    await expect(chatLog(chat).getByText(/^ข้อ 1\s/)).toBeAttached();
    await expect(chat.getByText(translate('chat:beginning'))).toBeAttached();
    expect(requestCount).toBeLessThan(10);
  });

  for (const leaving of ['closing the chat', 'reloading the page'])
    test(`a reply that was visible counts as read after ${leaving} within the second`, async ({
      memberPage: page,
      member,
    }) => {
      const sendReply = await startConversation(member);
      await sendReply('อยู่ค่ะ');
      await waitForStoredMessages(member, 4);
      await page.goto('/user/contact');
      await buttonByName(page.getByRole('main'), translate('contact:chatHere')).click();
      const chat = dialogByName(page, translate('chat:title'));
      await expect(chatBubble(chat, 'อยู่ค่ะ')).toBeInViewport();
      await (leaving === 'closing the chat' ? page.keyboard.press('Escape') : page.reload());
      await expect.poll(() => countUnreadReplies(member)).toBe(0);
    });
});
