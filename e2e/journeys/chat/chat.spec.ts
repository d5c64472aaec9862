import { findAccessibilityFaults } from '../../support/accessible.ts';
import {
  startConversation,
  chatBubble,
  chatInput,
  waitForRoomJoined,
  chatLog,
  openChatWindow,
  readMemberMessageTexts,
  waitForStoredMessages,
  sendChatMessage,
  sendInChatWindow,
} from '../../support/chat.ts';
import { advancePageClock } from '../../support/page-clock.ts';
import { expect, WITH_MOTION, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const DESKTOP_SIZE = { width: 1280, height: 800 };

test.describe('the button of the chat', () => {
  test('the chat button is visible only if the operator has a chat [R-CHAT-01]', async ({ memberPage: page }) => {
    await page.goto('/user/contact');
    await expect(page.getByRole('button', { name: translate('chat:open') })).toBeVisible();
    await page.route('**/api/lookup/enableChatWidget', (route) => route.fulfill({ json: { enableChatWidget: false } }));
    const widgetReply = page.waitForResponse('**/api/lookup/enableChatWidget');
    await page.reload();
    await (await widgetReply).finished();
    await expect(page.getByRole('figure')).toBeVisible();
    await expect(page.getByRole('button', { name: translate('chat:open') })).toHaveCount(0);
  });

  test('the chat window opens by its button, closes by button, Escape and Back, returns the focus, and loads only when opened [R-CHAT-01]', async ({
    memberPage: page,
  }) => {
    const loadedUrls: string[] = [];
    page.on('request', (request) => loadedUrls.push(request.url()));
    await page.goto('/user/contact');
    const opener = page.getByRole('button', { name: translate('chat:open') });
    await expect(opener).toBeVisible();
    expect(loadedUrls.filter((url) => /chat-panel|conversation/.test(url))).toEqual([]);
    const chat = dialogByName(page, translate('chat:title'));
    for (const closeChat of [
      () => buttonByName(chat, translate('common:close')).click(),
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
    ]) {
      await opener.click();
      await expect(chatLog(chat)).toBeVisible();
      await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
      await closeChat();
      await expect(chat).toBeHidden();
      await expect(page).toHaveURL(/\/user\/contact$/);
      await expect(opener).toBeFocused();
    }
  });

  test('the chat button does not cover the end of a page at either width', async ({ memberPage: page }) => {
    for (const size of [{ width: 320, height: 640 }, DESKTOP_SIZE]) {
      await page.setViewportSize(size);
      await page.goto('/user/contact');
      const opener = page.getByRole('button', { name: translate('chat:open') });
      await expect(opener).toBeVisible();
      const version = page.getByText(translate('contact:version', { version: '1.1.14' }));
      await expect(version).toBeVisible();
      await expect(page.getByRole('figure')).toBeVisible();
      // Each loaded element moves the end of the page further down.
      const readRoomBelow = async (): Promise<number> => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        const [openerBox, versionBox] = await Promise.all([opener.boundingBox(), version.boundingBox()]);
        return (openerBox?.y ?? 0) - ((versionBox?.y ?? 0) + (versionBox?.height ?? 0));
      };
      await expect.poll(readRoomBelow).toBeGreaterThanOrEqual(0);
    }
  });
});

test.describe('the animated button of the chat', () => {
  test.use(WITH_MOTION);

  test('the chat button turns from a bubble into a cross and back, and is beside the window on a desktop [R-CHAT-01]', async ({
    memberPage: page,
  }) => {
    await page.setViewportSize(DESKTOP_SIZE);
    await page.goto('/user/contact');
    const openerIcons = page.locator('button[aria-haspopup=dialog].fixed > span');
    const [bubbleIcon, crossIcon] = [openerIcons.first(), openerIcons.nth(1)];
    await expect(bubbleIcon).toHaveCSS('opacity', '1');
    await expect(crossIcon).toHaveCSS('opacity', '0');
    await expect(bubbleIcon).toHaveCSS('transition-property', /transform/);
    const chat = await openChatWindow(page, translate);
    await expect(bubbleIcon).toHaveCSS('opacity', '0');
    await expect(crossIcon).toHaveCSS('opacity', '1');
    await expect(chatInput(chat, translate)).toBeFocused();
    // The page behind the window stays usable.
    await expect(page.locator('html')).not.toHaveCSS('overflow', 'hidden');
    await page.getByRole('button', { name: translate('chat:close') }).click();
    await expect(chat).toBeHidden();
    await expect(bubbleIcon).toHaveCSS('opacity', '1');
  });
});

test.describe('a member in the chat', () => {
  test("chat messages, history and read marks carry the member's profile id [R-CHAT-01]", async ({
    memberPage: page,
    member,
  }) => {
    const sendReply = await startConversation(member);
    await sendReply('มีอะไรให้ช่วยอีกไหมคะ');
    await waitForStoredMessages(member, 4);
    const bodies: Record<string, unknown[]> = { 'send-message': [], history: [], 'read-customer/': [] };
    page.on('request', (request) => bodies[request.url().split('/api/chat/')[1] ?? '']?.push(request.postDataJSON()));
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    await sendInChatWindow(chat, translate, 'ไม่มีแล้วค่ะ');
    await expect.poll(() => Object.values(bodies).map((body) => body.length > 0)).toEqual([true, true, true]);
    for (const body of Object.values(bodies).flat()) expect(body).toMatchObject({ userId: member.id, guestId: '' });
    expect(await page.evaluate(() => localStorage.getItem('guest-id'))).toBeNull();
  });
});

test.describe('writing in the chat', () => {
  test('Enter sends a message; with Shift, Ctrl or Alt it inserts a newline, and input method keys do nothing [R-CHAT-03]', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    const field = chatInput(chat, translate);
    await field.click();
    const keys = ['Shift+Enter', 'Control+Enter', 'Alt+Enter'];
    for (const [keyIndex, key] of keys.entries()) {
      await page.keyboard.type(`${keyIndex}`);
      await page.keyboard.press(key);
    }
    await expect(field).toHaveValue('0\n1\n2\n');
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'กำ', selectionStart: 2, selectionEnd: 2 });
    for (const key of ['Enter', 'Escape'])
      await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, windowsVirtualKeyCode: 229 });
    await expect(field).toHaveValue('0\n1\n2\nกำ');
    await session.send('Input.insertText', { text: 'กำ' });
    await page.keyboard.press('Enter');
    await expect(field).toHaveValue('');
    await expect(chatLog(chat).getByText(/0\s1\s2\sกำ/)).toBeVisible();
    await expect.poll(() => readMemberMessageTexts(member)).toEqual(['0\n1\n2\nกำ']);
  });

  test('the send key of an Android keyboard sends the text once, including the word still being composed [R-CHAT-03]', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const field = chatInput(await openChatWindow(page, translate), translate);
    await field.click();
    const session = await page.context().newCDPSession(page);
    const keys = page.evaluate(
      () =>
        new Promise((resolve) => {
          // oxlint-disable-next-line typescript/no-deprecated -- what Android keyboards report
          addEventListener('keydown', ({ key, keyCode, isComposing }) => resolve({ key, keyCode, isComposing }), true);
        }),
    );
    for (const word of ['สวัสดี', 'ສະບາຍດີ']) {
      await page.keyboard.insertText(`${word} `);
      await session.send('Input.imeSetComposition', {
        text: word,
        selectionStart: word.length,
        selectionEnd: word.length,
      });
      await expect(field).toHaveValue(`${word} ${word}`);
      await page.keyboard.press('Enter');
      await expect(field).toHaveValue('');
    }
    expect(await keys).toEqual({ key: 'Enter', keyCode: 13, isComposing: true });
    await page.keyboard.type('1');
    await expect(field).toHaveValue('1');
    await expect.poll(() => readMemberMessageTexts(member)).toEqual(['สวัสดี สวัสดี', 'ສະບາຍດີ ສະບາຍດີ']);
  });

  test('the chat sends no blank message and at most 2000 characters, which it says [R-CHAT-03]', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    const field = chatInput(chat, translate);
    await field.fill(' \n\u200B ');
    await field.press('Enter');
    await expect(buttonByName(chat, translate('chat:send'))).toBeDisabled();
    await field.fill('ก'.repeat(2_005));
    await expect(chat.getByRole('alert')).toContainText(translate('chat:tooLong', { max: '2,000' }));
    await expect(field).toHaveValue('ก'.repeat(2_000));
    await expect(chat.getByText(translate('chat:counter', { number: '2,000', max: '2,000' }))).toBeVisible();
    await field.press('Enter');
    await expect(field).toHaveValue('');
    await expect.poll(() => readMemberMessageTexts(member)).toEqual(['ก'.repeat(2_000)]);
  });

  test('an unsent draft is still there when the chat opens again', async ({ memberPage: page }) => {
    await page.goto('/user/contact');
    await chatInput(await openChatWindow(page, translate), translate).fill('ค้างไว้ก่อน');
    await page.keyboard.press('Escape');
    await expect(chatInput(await openChatWindow(page, translate), translate)).toHaveValue('ค้างไว้ก่อน');
  });

  test('a message stored without a reply is shown once; one that never arrived can be sent again or removed', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const whenJoined = waitForRoomJoined(page);
    const chat = await openChatWindow(page, translate);
    // After reconnecting, unacknowledged messages are sent again automatically.
    await whenJoined;
    const keys: (string | undefined)[] = [];
    await page.route('**/api/chat/send-message', async (route) => {
      keys.push((await route.request().allHeaders())['idempotency-key']);
      // The server receives the request, and its reply is lost.
      if (keys.length === 1) await route.fetch();
      await (keys.length <= texts.length ? route.abort() : route.continue());
    });
    const field = chatInput(chat, translate);
    const texts = ['ได้ยินไหม', 'ไม่ต้องส่งแล้ว', 'ส่งอีกที'] as const;
    for (const text of texts) {
      await field.fill(text);
      await field.press('Enter');
    }
    const messageRow = (text: string) =>
      chatLog(chat)
        .locator('[data-key]')
        .filter({ has: page.getByText(text, { exact: true }) });
    const remove = buttonByName(messageRow('ไม่ต้องส่งแล้ว'), translate('chat:remove'));
    await expect(remove).toBeVisible();
    // The first message returned through the socket.
    await expect(messageRow('ได้ยินไหม')).toHaveCount(1);
    await expect(buttonByName(messageRow('ได้ยินไหม'), translate('chat:remove'))).toHaveCount(0);
    await remove.click();
    await expect(chatBubble(chat, 'ไม่ต้องส่งแล้ว')).toHaveCount(0);
    expect(await readMemberMessageTexts(member)).toEqual(['ได้ยินไหม']);
    await buttonByName(messageRow('ส่งอีกที'), translate('chat:resend')).click();
    await expect(messageRow('ส่งอีกที').getByText(translate('chat:state.succeed'), { exact: true })).toBeAttached();
    await expect(messageRow('ส่งอีกที')).toHaveCount(1);
    expect(await readMemberMessageTexts(member)).toEqual(['ได้ยินไหม', 'ส่งอีกที']);
    // The same message under the same key.
    expect(keys).toHaveLength(4);
    expect(keys[3]).toBe(keys[2]);
  });
});

test.describe('messages that are not sent', () => {
  test('an unsent message survives a page change, and the browser asks before it is lost', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    let chat = await openChatWindow(page, translate);
    await page.route('**/api/chat/send-message', (route) =>
      route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT_1MIN' } }),
    );
    await chatInput(chat, translate).fill('อย่าหายไปไหน');
    await chatInput(chat, translate).press('Enter');
    await expect(buttonByName(chat, translate('chat:resend'))).toBeVisible();
    const leaveDialog = page.waitForEvent('dialog');
    const leavePage = page.evaluate(() => location.reload());
    const dialog = await leaveDialog;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leavePage;
    await buttonByName(chat, translate('common:close')).click();
    await page.locator('a[href="/user/statement"]').first().click();
    await expect(page).toHaveURL(/statement/);
    await page.goBack();
    chat = await openChatWindow(page, translate);
    await expect(chatBubble(chat, 'อย่าหายไปไหน')).toHaveCount(1);
    await page.unroute('**/api/chat/send-message');
    await buttonByName(chat, translate('chat:resend')).click();
    await expect.poll(() => readMemberMessageTexts(member)).toEqual(['อย่าหายไปไหน']);
    await expect(buttonByName(chat, translate('chat:resend'))).toHaveCount(0);
  });

  test('a refused message shows the reason for four seconds, and disappears when it is sent again [R-NET-07]', async ({
    memberPage: page,
    member,
  }) => {
    await page.clock.install();
    await page.goto('/user/contact');
    const chat = await openChatWindow(page, translate);
    await page.route('**/api/chat/send-message', (route) =>
      route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT_1MIN' } }),
    );
    await chatInput(chat, translate).fill('เร็วไปไหม');
    await page.clock.pauseAt(Date.now() + 60_000);
    await chatInput(chat, translate).press('Enter');
    const limitAlert = chat.getByRole('alert').filter({ hasText: translate('errors:errorMsg.REQUEST_LIMIT_1MIN') });
    await expect(limitAlert).toBeVisible();
    await page.clock.runFor(3_900);
    await expect(limitAlert).toBeVisible();
    await page.clock.runFor(200);
    await expect(limitAlert).toBeHidden();
    await page.unroute('**/api/chat/send-message');
    await page.clock.resume();
    await buttonByName(chat, translate('chat:resend')).click();
    await expect.poll(() => readMemberMessageTexts(member)).toEqual(['เร็วไปไหม']);
    await expect(buttonByName(chat, translate('chat:resend'))).toHaveCount(0);
  });
});

test.describe('the conversation', () => {
  test('a reply appears automatically, does not move the text being read, and is marked as read one second after it was visible [R-CHAT-05] [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const sendReply = await startConversation(member);
    for (let messageNumber = 1; messageNumber <= 8; messageNumber += 1)
      await sendChatMessage(member, `คำถาม ${messageNumber}\n\n\n.`);
    await page.clock.install();
    await page.goto('/user/contact');
    const whenJoined = waitForRoomJoined(page);
    const chat = await openChatWindow(page, translate);
    await whenJoined;
    const log = chatLog(chat);
    await log.evaluate((element) => element.scrollTo(0, -200));
    const toEnd = chat.getByRole('button', { name: translate('chat:toEnd') });
    await expect(toEnd).toBeVisible();
    const sixthMessage = log.getByText(/^คำถาม 6\s/);
    const before = await sixthMessage.boundingBox();
    let readRequests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/chat/read-customer/')) readRequests += 1;
    });
    await sendReply('คำตอบแรก');
    const toNewButton = chat.getByRole('button', { name: translate('chat:toNew', { number: 1 }) });
    await expect(toNewButton).toBeVisible();
    await expect(chat.getByText(`${translate('chat:support')}: คำตอบแรก`)).toBeAttached();
    expect((await sixthMessage.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
    // Short enough that the app does not consider the socket dead.
    await page.clock.pauseAt(Date.now() + 10_000);
    expect(readRequests, 'it has not been seen').toBe(0);
    const readRequest = page.waitForRequest('**/api/chat/read-customer/');
    await toNewButton.click();
    await expect(chatBubble(chat, 'คำตอบแรก')).toBeInViewport();
    await expect(toNewButton).toHaveCount(0);
    await advancePageClock(page, 900);
    expect(readRequests, 'not yet').toBe(0);
    // Another message restarts the second.
    await sendReply('คำตอบที่สอง');
    await expect(chatBubble(chat, 'คำตอบที่สอง')).toBeInViewport();
    await advancePageClock(page, 900);
    expect(readRequests, 'not yet either').toBe(0);
    // The second starts when the app has processed the event, which on a busy machine is later than the display.
    await expect(async () => {
      await advancePageClock(page, 200);
      expect(readRequests).toBe(1);
    }).toPass();
    expect((await readRequest).method()).toBe('PUT');
    expect(readRequests).toBe(1);
  });

  test('the chat button shows the number of unread messages', async ({ memberPage: page, member }) => {
    const sendReply = await startConversation(member);
    await sendReply('อยู่ค่ะ');
    // The page sends one request.
    await waitForStoredMessages(member, 4);
    await page.goto('/user/contact');
    const opener = page.getByRole('button', { name: translate('chat:openUnread', { number: 1 }) });
    await expect(opener).toBeVisible();
    const readReply = page.waitForResponse('**/api/chat/read-customer/');
    await opener.click();
    expect((await readReply).status()).toBe(200);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: translate('chat:open'), exact: true })).toBeVisible();
  });

  test('the conversation has no detectable accessibility fault at either width', async ({
    memberPage: page,
    member,
  }) => {
    await startConversation(member);
    for (const size of [{ width: 320, height: 640 }, { width: 390, height: 844 }, DESKTOP_SIZE]) {
      await page.setViewportSize(size);
      await page.goto('/user/contact');
      await page
        .getByRole('button', { name: /^เปิดแชต/ })
        .and(page.locator('[aria-haspopup]'))
        .click();
      const chat = dialogByName(page, translate('chat:title'));
      await expect(chatBubble(chat, 'เจ้าหน้าที่มาแล้วค่ะ')).toBeVisible();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  });
});
